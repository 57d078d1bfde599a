#include "sim/trace/read_trace.h"

#include <sstream>
#include <string>
#include <vector>

#include "sim/trace/write_trace.h"
#include "tests/support/catch.h"

namespace bth::trace {
namespace {

absl::StatusOr<Trace> Swf(const std::string& text, int64_t task_cpus = 8) {
  std::istringstream in(text);
  ReadOptions options;
  options.file = "t.swf";
  options.task_milli_cpu = task_cpus * 1000;
  return ReadSwf(in, options);
}

absl::StatusOr<Trace> Csv(const std::string& text) {
  std::istringstream in(text);
  ReadOptions options;
  options.file = "t.csv";
  return ReadCsv(in, options);
}

std::string ErrorOf(const absl::StatusOr<Trace>& trace) {
  return trace.ok() ? "read" : std::string(trace.status().message());
}

TEST_CASE("swf: the 18 fields become jobs of tasks", "[trace]") {
  const auto trace =
      Swf("; Version: 2.2\n"
          ";  UnixStartTime: 749458803 (some day)\n"
          "\n"
          " 7 30 5 100.6 16 -1 -1 20 200 1024 1 3 4 -1 2 -1 -1 -1\r\n"
          "8 10 0 50 3 -1 2048 -1 -1 -1 0 -1 -1 -1 -1 -1 7 60\n");
  REQUIRE(trace.ok());
  CHECK(trace->start_unix_s == 749458803);
  REQUIRE(trace->jobs.size() == 2);
  // By submit time.
  const TraceJob& small = trace->jobs[0];
  CHECK(small.name == "8");
  CHECK(small.submit_s == 10);
  CHECK(small.tasks == 1);
  CHECK(trace->queues[small.queue] == "default");
  CHECK(trace->users[small.user].empty());
  CHECK(trace->shapes[small.shape][model::kCpu] == 3000);
  CHECK(trace->shapes[small.shape][model::kMemory] == int64_t{3} * 2048 * 1024);
  // Twenty processors in three tasks of at most eight, none lost by rounding.
  const TraceJob& large = trace->jobs[1];
  CHECK(large.run_s == 101);
  CHECK(large.tasks == 3);
  CHECK(large.min_available == 3);
  CHECK(trace->queues[large.queue] == "queue-2");
  CHECK(trace->users[large.user] == "user-3");
  CHECK(trace->shapes[large.shape][model::kCpu] == 6667);
  CHECK(trace->shapes[large.shape][model::kMemory] == int64_t{7} * 1024 * 1024);
  CHECK(trace->notes.size() == 1);  // One follows another job.
}

TEST_CASE("swf: jobs that never ran are left out and counted", "[trace]") {
  const auto trace =
      Swf("1 0 0 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
          "2 0 0 -1 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
          "3 0 0 10 -1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
          "4 0 0 0 1 -1 -1 1 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
          "5 0 0 10 1 -1 -1 1 -1 -1 3 -1 -1 -1 -1 -1 -1 -1\n"
          "6 0 0 10 1 -1 -1 1 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n");
  REQUIRE(trace.ok());
  // A job that was cancelled while it ran did run.
  REQUIRE(trace->jobs.size() == 2);
  CHECK(trace->jobs[1].name == "6");
  CHECK(trace->notes == std::map<std::string, int64_t>{
                            {"jobs without run time", 1},
                            {"jobs without processors", 1},
                            {"jobs cancelled before they ran", 1},
                            {"lines with parts of jobs (status 2 to 4), of which other lines tell "
                             "the whole",
                             1}});
}

TEST_CASE("swf: what cannot be read is told with its line", "[trace]") {
  const std::string good = "1 0 0 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
  const auto error = [&](const std::string& line) { return ErrorOf(Swf(good + line + "\n")); };
  struct Case {
    std::string line;
    std::string error;
  };
  const std::vector<Case> cases = {
      {"2 0 0 10 1",
       "t.swf:2: 5 fields, where a job has 18; write -1 for what is not known, and ; before "
       "comments"},
      {"2 0 0 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 9",
       "t.swf:2: 19 fields, where a job has 18; write -1 for what is not known, and ; before "
       "comments"},
      {"2 0 0 ten 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: run time: \"ten\" is no number of seconds"},
      {"2 0 0 -7 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: run time: -7 is negative; write -1 where it is not known"},
      {"2 1e30 0 7 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: submit time: 1e30 is far too large"},
      {"2 99999999999 0 7 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: submit: 99999999999 is not within 0 and 3155760000"},
      {"2 -1 0 7 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: submit time: not known; leave such jobs out"},
      {"2 0 0 7 8000000 -1 -1 8000000 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: 8000000 processors are more than 100000 tasks; raise --task-cpus"},
      {"2 0 0 7 900000000 -1 -1 900000000 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: processors: 900000000 is more than 100000000"},
      {"2 0 0 7 1 -1 -1 1 -1 999999999999999 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: memory: 999999999999999 KB for each processor is more than a task can have"},
      {"2 0 0 nan 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
       "t.swf:2: run time: \"nan\" is no number of seconds"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.line);
    CHECK(error(each.line) == each.error);
  }
  CHECK(ErrorOf(Swf("; nothing\n")) == "t.swf: no job that can be replayed");
  CHECK(ErrorOf(Swf(std::string(100'000, '1'))) ==
        "t.swf:1: the line is longer than 65536 bytes; is this a trace?");
}

TEST_CASE("csv: columns by their names", "[trace]") {
  const auto trace =
      Csv("# made by hand\n"
          "submit, duration "
          ",tasks,minAvailable,cpu,memory,gpu,example.com/nic,queue,priority,user,name\n"
          "5,60.4,4,2,500m,1.5Gi,1,,blue,1000,\"Doe, Jane \"\"J\"\"\",train\n"
          "\n"
          "0,10,,,,,,,,,,\n");
  REQUIRE(trace.ok());
  REQUIRE(trace->jobs.size() == 2);
  const TraceJob& plain = trace->jobs[0];
  CHECK(plain.tasks == 1);
  CHECK(plain.min_available == 1);
  CHECK(trace->queues[plain.queue] == "default");
  CHECK(trace->shapes[plain.shape].IsEmpty());
  const TraceJob& train = trace->jobs[1];
  CHECK(train.run_s == 60);
  CHECK(train.tasks == 4);
  CHECK(train.min_available == 2);
  CHECK(trace->users[train.user] == "Doe, Jane \"J\"");
  CHECK(trace->priorities[train.priority] == "1000");
  CHECK(train.name == "train");
  const model::ResourceVec& shape = trace->shapes[train.shape];
  CHECK(shape[model::kCpu] == 500);
  CHECK(shape[model::kMemory] == int64_t{1536} << 20);
  CHECK(shape[*trace->dims.Find("nvidia.com/gpu")] == 1000);
}

TEST_CASE("csv: the longest line, and a last one without end", "[trace]") {
  const std::string longest = "#" + std::string((size_t{64} << 10) - 1, 'x');
  const auto trace = Csv(longest + "\nsubmit,duration\r\n" + longest + "\r\n");
  CHECK(ErrorOf(trace) == "t.csv:3: the line is longer than 65536 bytes; is this a trace?");
  const auto open = Csv(longest + "\nsubmit,duration\r\n0,10\n5,20");
  REQUIRE(open.ok());
  CHECK(open->jobs.back().run_s == 20);
}

TEST_CASE("csv: what cannot be read is told with its line", "[trace]") {
  struct Case {
    std::string text;
    std::string error;
  };
  const std::string head = "submit,duration,tasks,cpu,queue,priority,min_available\n";
  const std::vector<Case> cases = {
      {"submit,durations\n",
       "t.csv:1: unknown column \"durations\" (did you mean \"duration\"?); there are submit, "
       "duration, tasks, min_available, minAvailable, cpu, memory, gpu, queue, user, priority, "
       "name, and resources by their names"},
      {"submit,tasks\n",
       "t.csv:1: the first line must name the columns, submit and duration among them"},
      {"submit,duration,gpu,nvidia.com/gpu\n", "t.csv:1: column \"nvidia.com/gpu\" comes twice"},
      {head + "1,2,3\n",
       "t.csv:2: 3 fields, where the first line names 7 columns; leave fields empty, not out"},
      {head + "1,2,0,1,a,,\n", "t.csv:2: tasks: 0 is not within 1 and 100000"},
      {head + "1,2,x,1,a,,\n", "t.csv:2: tasks: \"x\" is no whole number"},
      {head + "-5,2,1,1,a,,\n", "t.csv:2: submit: -5 is not within 0 and 3155760000"},
      {head + "1,2,1,lots,a,,\n", "t.csv:2: cpu: \"lots\" is no quantity; such as 2, 500m or 16Gi"},
      {head + "1,2,1,1,A_B,,\n",
       "t.csv:2: queue: \"A_B\" cannot name a queue; use at most 63 of a-z, 0-9 and - inside"},
      {head + "1,2,1,1,a,2000000000,\n",
       "t.csv:2: priority: \"2000000000\" is neither a number up to a billion nor the name of a "
       "priority class"},
      {head + "1,2,3,1,a,,4\n", "t.csv:2: min_available: 4 is not within 1 and 3"},
      {head + "1,2,3,\"1,a,,\n",
       "t.csv:2: a quoted field does not end; write \"\" for a quote inside one"},
      {"", "t.csv: no job that can be replayed"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.text);
    CHECK(ErrorOf(Csv(each.text)) == each.error);
  }
  CHECK(ErrorOf(Csv(head + "1,2,1,-1,a,,\n")).starts_with("t.csv:2: cpu: "));
}

TEST_CASE("csv: more resources than a cluster can tell apart are refused", "[trace]") {
  std::string text = "submit,duration";
  std::string line = "0,1";
  for (int i = 0; i < model::kDims; ++i) {
    text += ",example.com/r" + std::to_string(i);
    line += ",1";
  }
  CHECK(ErrorOf(Csv(text + "\n" + line + "\n")).find("; leave out columns that do not matter") !=
        std::string::npos);
}

TEST_CASE("a trace that was written reads as it was", "[trace]") {
  const auto trace =
      Csv("submit,duration,tasks,min_available,cpu,memory,gpu,queue,priority,user,name\n"
          "0,10,2,1,1,1Gi,,blue,,ann,a\n"
          "3,20,4,4,2500m,2Gi,1,red,7,\"b, c\",\"d \"\"e\"\"\"\n");
  REQUIRE(trace.ok());
  std::ostringstream csv;
  WriteCsv(*trace, csv);
  const auto again = Csv(csv.str());
  REQUIRE(again.ok());
  CHECK(again->jobs == trace->jobs);
  CHECK(again->shapes == trace->shapes);
  CHECK(again->users.all() == trace->users.all());
  std::ostringstream swf;
  WriteSwf(*trace, swf);
  const auto whole = Swf(swf.str(), 100);
  REQUIRE(whole.ok());
  REQUIRE(whole->jobs.size() == 2);
  CHECK(whole->jobs[1].submit_s == 3);
  CHECK(whole->jobs[1].run_s == 20);
  CHECK(whole->shapes[whole->jobs[1].shape][model::kCpu] == 10'000);
  CHECK(whole->queues[whole->jobs[1].queue] == "queue-2");
}

}  // namespace
}  // namespace bth::trace
