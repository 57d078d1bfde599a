// Small traces through the whole cluster: API server, scheduler, controllers and kubelets.
#include "sim/trace/replay.h"

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "admission/rules/known.h"
#include "cmd/common/own_admission.h"
#include "sim/builtin_registry.h"
#include "sim/trace/figures.h"
#include "sim/trace/read_trace.h"
#include "sim/trace/report.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::trace {
namespace {

// First come, first served, but for jobs that do not fit.
constexpr char kFifo[] = R"(
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: priority
  - name: gang
- plugins:
  - name: predicates
  - name: nodeorder
)";
constexpr char kPreempting[] = R"(
actions: "enqueue, allocate, preempt"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
- plugins:
  - name: predicates
  - name: nodeorder
)";
constexpr char kByWeight[] = R"(
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: gang
- plugins:
  - name: proportion
  - name: predicates
  - name: nodeorder
)";

struct Stage {
  Trace trace;
  ClusterParts parts;
};

Stage Set(const std::string& csv, int64_t nodes, const std::string& node) {
  std::istringstream in(csv);
  auto trace = ReadCsv(in, {.file = "t.csv"});
  REQUIRE(trace.ok());
  ClusterFlags flags;
  flags.nodes = nodes;
  flags.node = node;
  auto parts = MakeClusterParts(flags, *trace);
  REQUIRE(parts.ok());
  return {*std::move(trace), *std::move(parts)};
}

Replay Played(const Stage& stage, const std::string& policy, ReplayOptions options = {}) {
  const test::TempFolder folder;
  options.policy_path = policy.empty() ? "" : folder.Write("scheduler.conf", policy);
  if (options.policy_name.empty()) options.policy_name = "policy";
  options.registry = &sim::BuiltinRegistry();
  options.extend = [](apiserver::ApiServer& server) {
    cmd::AddOwnAdmission(server, admission::Settings());
  };
  auto replay = ReplayTrace(stage.trace, stage.parts, options);
  INFO(replay.status().message());
  REQUIRE(replay.ok());
  return *std::move(replay);
}

// Machines, watches and cycles take a moment.
bool Near(int64_t ms, double seconds) {
  return std::abs(static_cast<double>(ms) / 1000 - seconds) < 1;
}

TEST_CASE("replay: first come, first served, as it is by hand", "[trace]") {
  const Stage stage =
      Set("submit,duration,tasks,cpu\n"
          "0,100,4,1\n"   // Has all of the node.
          "10,50,2,1\n"   // From 100 to 150.
          "20,200,4,1\n"  // From 150, when all four are free again.
          "30,10,1,1\n"   // Fits beside the second.
          "400,5,1,1\n",  // Finds the node empty but for nothing.
          1, "cpu=4,memory=8Gi");
  for (const std::string policy : {kFifo, ""}) {
    CAPTURE(policy);
    const Replay replay = Played(stage, policy);
    const std::vector<std::pair<double, double>> expected = {
        {0, 100}, {100, 150}, {150, 350}, {100, 110}, {400, 405}};
    REQUIRE(replay.courses.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i, replay.courses[i].started_ms, replay.courses[i].ended_ms);
      CHECK(replay.courses[i].end == JobCourse::End::kDone);
      CHECK(Near(replay.courses[i].started_ms, expected[i].first));
      CHECK(Near(replay.courses[i].ended_ms, expected[i].second));
    }
    const Figures figures = FiguresOf(stage.trace, stage.parts, replay);
    // 4 x 100, 2 x 50, 4 x 200, 10 and 5 CPU-seconds of 4 x 405.
    CHECK(std::abs(figures.use[model::kCpu] - 1315.0 / 1620) < 0.01);
    CHECK(std::abs(figures.all.wait_s.mean - (0 + 90 + 130 + 70 + 0) / 5.0) < 1);
    CHECK(figures.all.evictions == 0);
    CHECK(replay.never_started.empty());
    CHECK(replay.failures.empty());
  }
}

TEST_CASE("replay: an evicted gang starts over, and what it had done is lost", "[trace]") {
  const Stage stage =
      Set("submit,duration,tasks,cpu,priority\n"
          "0,1000,4,1,\n"
          "100,100,4,1,1000\n",
          1, "cpu=4,memory=8Gi");
  const Replay replay = Played(stage, kPreempting);
  const JobCourse& low = replay.courses[0];
  const JobCourse& high = replay.courses[1];
  CAPTURE(high.started_ms, low.ended_ms, low.lost_ms, low.evictions);
  CHECK(high.evictions == 0);
  CHECK(high.end == JobCourse::End::kDone);
  CHECK(high.started_ms / 1000 >= 100);
  CHECK(high.started_ms / 1000 <= 105);
  CHECK(low.evictions == 4);
  CHECK(low.end == JobCourse::End::kDone);
  // Four tasks for a hundred seconds, and until they were gone.
  CHECK(low.lost_ms >= 4 * 100'000);
  CHECK(low.lost_ms <= 4 * 105'000);
  CHECK(low.ended_ms / 1000 >= 1200);
  CHECK(low.ended_ms / 1000 <= 1215);
  const Figures figures = FiguresOf(stage.trace, stage.parts, replay);
  CHECK(figures.priorities.size() == 2);
  CHECK(figures.all.evictions == 4);
}

TEST_CASE("replay: jobs that cannot start are told with the scheduler's reason", "[trace]") {
  const Stage stage =
      Set("submit,duration,tasks,cpu,name\n"
          "0,10,1,1,fits\n"
          "0,10,1,16,large\n"
          "5,10,8,1,many\n"
          "6,10,8,1,many\n",
          1, "cpu=4,memory=8Gi");
  const Replay replay = Played(stage, kFifo);
  CHECK(replay.courses[0].end == JobCourse::End::kDone);
  int64_t waiting = 0;
  bool large = false;
  for (const auto& [reason, each] : replay.never_started) {
    waiting += each.jobs;
    large |= each.example == "large";
    CHECK(each.message.find("nodes are unavailable") != std::string::npos);
  }
  CHECK(waiting == 3);
  CHECK(large);
  const Figures figures = FiguresOf(stage.trace, stage.parts, replay);
  CHECK(figures.all.never_started == 3);
  CHECK(figures.makespan_s >= 10);
  CHECK(figures.makespan_s < 12);
}

TEST_CASE("replay: what never starts deserves nothing after the last end", "[trace]") {
  const Stage stage =
      Set("submit,duration,tasks,cpu,queue\n"
          "0,100,3,1,blue\n"
          "0,10,8,1,red\n",  // Too large for ever: the replay waits hours for it.
          1, "cpu=4,memory=8Gi");
  const Replay replay = Played(stage, kByWeight);
  CHECK(replay.use.now_ms() > 3'600'000);
  const Figures figures = FiguresOf(stage.trace, stage.parts, replay);
  REQUIRE(figures.queues.size() == 2);
  const QueueFigures& blue = figures.queues[0];
  const QueueFigures& red = figures.queues[1];
  CHECK(red.group.never_started == 1);
  // While blue ran, each deserved half: red all of it got none of, blue half again as much.
  CHECK(std::abs(blue.share - 0.75) < 0.02);
  CHECK(std::abs(blue.deserved - 0.5) < 0.02);
  CHECK(std::abs(blue.ratio - 1.5) < 0.1);
  CHECK(std::abs(red.deserved - 0.5) < 0.02);
  CHECK(red.ratio == 0);
  CHECK(std::abs(figures.jain - 0.5) < 0.01);
}

TEST_CASE("replay: the end that was asked for", "[trace]") {
  const Stage stage =
      Set("submit,duration,cpu\n0,1000,1\n50,10,1\n500,10,1\n", 1, "cpu=1,memory=1Gi");
  ReplayOptions options;
  options.until = absl::Seconds(100);
  const Replay replay = Played(stage, kFifo, options);
  const Figures figures = FiguresOf(stage.trace, stage.parts, replay);
  CHECK(figures.all.jobs == 2);
  CHECK(figures.all.unended == 1);
  CHECK(figures.all.never_started == 1);
  CHECK(replay.use.now_ms() == 100'000);
  CHECK(figures.makespan_s == 100);
}

TEST_CASE("replay: queues share by weight, and the report says so", "[trace]") {
  std::string csv = "submit,duration,tasks,cpu,queue,user\n";
  for (int i = 0; i < 12; ++i) {
    csv += "0,1000,1,1,blue,ann\n";
    csv += "0,1000,1,1,red,ben\n";
  }
  std::istringstream in(csv);
  auto trace = ReadCsv(in, {.file = "t.csv"});
  REQUIRE(trace.ok());
  ClusterFlags flags;
  flags.nodes = 2;
  flags.node = "cpu=2,memory=8Gi";
  flags.queues = {"blue=3"};
  auto parts = MakeClusterParts(flags, *trace);
  REQUIRE(parts.ok());
  const Stage stage{*std::move(trace), *std::move(parts)};
  ReplayOptions options;
  options.until = absl::Seconds(500);
  const Replay replay = Played(stage, kByWeight, options);
  // Both want all of it: blue holds three CPUs, red one.
  const Figures figures = FiguresOf(stage.trace, stage.parts, replay);
  REQUIRE(figures.queues.size() == 2);
  const QueueFigures& blue = figures.queues[0];
  const QueueFigures& red = figures.queues[1];
  CHECK(blue.weight == 3);
  CHECK(std::abs(blue.share - 0.75) < 0.01);
  CHECK(std::abs(blue.deserved - 0.75) < 0.01);
  CHECK(std::abs(red.share - 0.25) < 0.01);
  CHECK(std::abs(red.ratio - 1) < 0.05);
  CHECK(figures.jain > 0.99);
  CHECK(blue.group.unended == 3);
  CHECK(blue.group.never_started == 9);
}

TEST_CASE("replay: the same seed, the same bytes", "[trace]") {
  const Stage stage =
      Set("submit,duration,tasks,cpu,queue,user\n"
          "0,100,3,1,blue,ann\n5,50,2,1,red,ben\n7,30,1,2,red,ann\n9,300,9,1,blue,ben\n",
          2, "cpu=2,memory=8Gi");
  std::vector<std::string> texts;
  for (int i = 0; i < 2; ++i) {
    const Replay replay = Played(stage, kFifo);
    const Report report{
        stage.trace, stage.parts, {{replay, FiguresOf(stage.trace, stage.parts, replay)}}};
    texts.push_back(ReportJson(report).Pretty() + ReportText(report) + ReportSvg(report));
  }
  CHECK(texts[0] == texts[1]);
  CHECK(texts[0].find("\"waitSeconds\"") != std::string::npos);
  CHECK(texts[0].find("1 never started, such as job-3: ") != std::string::npos);
}

TEST_CASE("replay: two policies side by side, and where they differ", "[trace]") {
  const Stage stage =
      Set("submit,duration,tasks,cpu,priority\n"
          "0,1000,4,1,\n"
          "100,100,4,1,1000\n",
          1, "cpu=4,memory=8Gi");
  ReplayOptions options;
  options.policy_name = "fifo";
  const Replay fifo = Played(stage, kFifo, options);
  options.policy_name = "preempting";
  const Replay preempting = Played(stage, kPreempting, options);
  const Report report{stage.trace,
                      stage.parts,
                      {{fifo, FiguresOf(stage.trace, stage.parts, fifo)},
                       {preempting, FiguresOf(stage.trace, stage.parts, preempting)}}};
  const std::string text = ReportText(report);
  CAPTURE(text);
  CHECK(text.find("policy      fifo\n") != std::string::npos);
  CHECK(text.find("policy      preempting\n") != std::string::npos);
  const std::string table = text.substr(text.find("FIGURE"));
  const auto row = [&](const std::string& name) {
    const size_t at = table.find("\n" + name);
    REQUIRE(at != std::string::npos);
    return table.substr(at + 1, table.find('\n', at + 1) - at - 1);
  };
  CHECK(row("jobs done").find('*') == std::string::npos);
  CHECK(row("evictions").find('*') != std::string::npos);
  CHECK(row("wait, max").find("* -9") != std::string::npos);
  const std::string svg = ReportSvg(report);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("t.csv, preempting") != std::string::npos);
}

}  // namespace
}  // namespace bth::trace
