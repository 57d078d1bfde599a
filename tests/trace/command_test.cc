// What the command line says, and which mistakes it tells in one line.
#include <sstream>
#include <string>
#include <vector>

#include "sim/run.h"
#include "sim/trace/trace_command.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"
#include "tests/support/temp_folder.h"

namespace bth::trace {
namespace {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran RunOn(const TraceFlags& flags, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  Ran ran;
  ran.code = RunTrace(flags, nullptr, in, out, err);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

TraceFlags Plain() {
  TraceFlags flags;
  flags.file = "-";
  flags.format = "csv";
  flags.cluster.nodes = 1;
  flags.cluster.node = "cpu=4,memory=8Gi";
  return flags;
}

constexpr char kOneJob[] = "submit,duration,cpu\n0,10,1\n";

TEST_CASE("trace command: mistakes are one line with the remedy", "[trace]") {
  struct Case {
    void (*change)(TraceFlags*);
    std::string error;
  };
  const std::vector<Case> cases = {
      {[](TraceFlags* f) { f->file = ""; }, "no trace: name a file, or - to read it here"},
      {[](TraceFlags* f) { f->format = "auto"; },
       "--format: the name \"-\" does not tell; use swf or csv"},
      {[](TraceFlags* f) { f->format = "xml"; },
       "--format: unknown form \"xml\"; use swf, csv or auto"},
      {[](TraceFlags* f) { f->output = "yaml"; },
       "--output: unknown form \"yaml\"; use table or json"},
      {[](TraceFlags* f) { f->file = "/nowhere/t.csv"; }, "/nowhere/t.csv: cannot be opened"},
      {[](TraceFlags* f) { f->file = "/"; }, "/: cannot be read"},
      {[](TraceFlags* f) { f->conf = "/nowhere/conf"; }, "/nowhere/conf: cannot be opened"},
      {[](TraceFlags* f) { f->compare = "/nowhere/b"; }, "/nowhere/b: cannot be opened"},
      {[](TraceFlags* f) { f->until = "soon"; }, "--until: \"soon\" is no time such as 720h"},
      {[](TraceFlags* f) { f->task_cpus = 0; }, "--task-cpus: must be between 1 and 100000"},
      {[](TraceFlags* f) { f->gang_percent = 101; }, "--gang-percent: must be between 1 and 100"},
      {[](TraceFlags* f) { f->on_eviction = "cry"; },
       "--on-eviction: \"cry\" is none of restart-job, restart-task"},
      {[](TraceFlags* f) { f->cluster.nodes = 0; },
       "--node says what nodes are like; say how many: --nodes 100"},
      {[](TraceFlags* f) { f->cluster = {}; },
       "no nodes: say --nodes 100 --node cpu=64,memory=256Gi, or name manifests with --cluster"},
      {[](TraceFlags* f) { f->cluster.nodes = -1; }, "--nodes: must be between 1 and 100000"},
      {[](TraceFlags* f) { f->cluster.node = "cpus=4"; },
       "--node: \"cpus=4\" is no RESOURCE=QUANTITY, such as cpu=64 or nvidia.com/gpu=8"},
      {[](TraceFlags* f) { f->cluster.node = "cpu=4,cpu=5"; }, "--node: cpu comes twice"},
      {[](TraceFlags* f) { f->cluster.queues = {"blue"}; },
       "--queue: \"blue\" is no NAME=WEIGHT, such as research=3"},
      {[](TraceFlags* f) { f->cluster.queues = {"blue=0"}; },
       "--queue: \"blue=0\" is no NAME=WEIGHT, such as research=3"},
      {[](TraceFlags* f) {
         f->cluster.queues = {"blue=1", "blue=2"};
       },
       "--queue: blue comes twice"},
      {[](TraceFlags* f) { f->cluster.files = {"/nowhere"}; }, "/nowhere: no such file or folder"},
      {[](TraceFlags* f) { f->svg = "/nowhere/t.svg"; }, "/nowhere/t.svg: cannot be written"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.error);
    TraceFlags flags = Plain();
    each.change(&flags);
    const Ran ran = RunOn(flags, kOneJob);
    CHECK(ran.code == sim::kExitInput);
    CHECK(ran.out.empty());
    CHECK(ran.err == "vc-sim trace: " + each.error + "\n");
  }
}

TEST_CASE("trace command: clusters from manifests, and what has no place in them", "[trace]") {
  const test::TempFolder folder;
  TraceFlags flags = Plain();
  flags.cluster.nodes = 0;
  flags.cluster.node = "";
  const std::string node =
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
      "status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}\n";
  flags.cluster.files = {folder.Write("pod.yaml", node + "---\napiVersion: v1\nkind: Pod\n")};
  Ran ran = RunOn(flags, kOneJob);
  CHECK(ran.code == sim::kExitInput);
  CHECK(ran.err == "vc-sim trace: " + folder.Sub("pod.yaml") +
                       ": document 2 (line 5): kind \"Pod\" is no part of a cluster for traces; "
                       "use Node, Queue, PriorityClass, HyperNode or ResourceQuota\n");
  flags.cluster.files = {folder.Write(
      "cluster.yaml", node + "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
                             "metadata: {name: blue}\nspec: {weight: 2}\n"
                             "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"
                             "metadata: {name: high}\nvalue: 100\n")};
  ran = RunOn(flags, "submit,duration,cpu,queue,priority\n0,10,1,blue,high\n5,10,1,red,7\n");
  CAPTURE(ran.err);
  CHECK(ran.code == sim::kExitRan);
  CHECK(ran.err.empty());
  CHECK(ran.out.find("jobs        2 done, 0 never started, 0 not ended, 0 failed\n") !=
        std::string::npos);
  ran = RunOn(flags, "submit,duration,cpu,priority\n0,10,1,low\n");
  CHECK(ran.err ==
        "vc-sim trace: standard input: priority \"low\" is the name of no PriorityClass in "
        "--cluster; give one, or use numbers\n");
  flags.cluster.queues = {"blue=2"};
  ran = RunOn(flags, kOneJob);
  CHECK(ran.err == "vc-sim trace: --queue: a manifest says already what blue is\n");
}

TEST_CASE("trace command: one policy beside another", "[trace]") {
  const test::TempFolder folder;
  TraceFlags flags = Plain();
  flags.conf = folder.Write("a.conf",
                            "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n"
                            "  - name: gang\n  - name: predicates\n");
  flags.compare = "builtin";
  flags.svg = folder.Sub("t.svg");
  const Ran ran = RunOn(flags, kOneJob);
  CAPTURE(ran.err);
  CHECK(ran.code == sim::kExitRan);
  CHECK(ran.out.find("DIFFERS") != std::string::npos);
  CHECK(ran.out.find("policy      built-in") != std::string::npos);
  CHECK(test::ReadFile(flags.svg).ends_with("</svg>\n"));
  flags.compare = folder.Write("bad.conf", "actions: \"enqueue, alocate\"\n");
  const Ran bad = RunOn(flags, kOneJob);
  CHECK(bad.code == sim::kExitInput);
  CHECK(bad.err.find("bad.conf: ") != std::string::npos);
}

// What stands between the lines "```KIND" and "```", from `from` on.
std::string BlockOf(const std::string& page, const std::string& kind, size_t from) {
  const std::string fence = "```" + kind + "\n";
  const size_t begin = page.find(fence, from);
  REQUIRE(begin != std::string::npos);
  const size_t end = page.find("```\n", begin + fence.size());
  return page.substr(begin + fence.size(), end - begin - fence.size());
}

TEST_CASE("trace command: the worked example of the page is what comes out", "[trace]") {
  const std::string page = test::ReadFile(test::SourceRoot() / "docs" / "vc-sim.md");
  const size_t example = page.find("### A worked example");
  REQUIRE(example != std::string::npos);
  const test::TempFolder folder;
  TraceFlags flags = Plain();
  flags.format = "auto";
  flags.file = folder.Write("day.csv", BlockOf(page, "csv", example));
  flags.cluster.nodes = 2;
  flags.cluster.node = "cpu=4,memory=16Gi";
  flags.cluster.queues = {"research=3"};
  Ran ran = RunOn(flags);
  CAPTURE(ran.err);
  CHECK(ran.code == sim::kExitRan);
  for (size_t at = 0; (at = ran.out.find(flags.file)) != std::string::npos;) {
    ran.out.replace(at, flags.file.size(), "day.csv");
  }
  CHECK(ran.out == BlockOf(page, "text", example));
}

TEST_CASE("generate command: a file that can be replayed", "[trace]") {
  const test::TempFolder folder;
  GenerateFlags flags;
  flags.options.jobs = 5;
  flags.options.days = 0.1;
  flags.options.cpus = 32;
  flags.options.size_max = 8;
  std::ostringstream out;
  std::ostringstream err;
  CHECK(RunGenerate(flags, out, err) == sim::kExitRan);
  CHECK(out.str().starts_with("submit,duration,tasks,cpu,memory,queue,user\n"));
  flags.format = "swf";
  flags.path = folder.Sub("t.swf");
  CHECK(RunGenerate(flags, out, err) == sim::kExitRan);
  TraceFlags replay = Plain();
  replay.format = "auto";
  replay.file = flags.path;
  replay.cluster.node = "cpu=32,memory=256Gi";
  const Ran ran = RunOn(replay);
  CAPTURE(ran.err);
  CHECK(ran.code == sim::kExitRan);
  CHECK(ran.out.find("5 done") != std::string::npos);
  flags.format = "xml";
  CHECK(RunGenerate(flags, out, err) == sim::kExitInput);
  CHECK(err.str() == "vc-sim trace generate: --format: unknown form \"xml\"; use csv or swf\n");
}

}  // namespace
}  // namespace bth::trace
