// Cycles of a policy that compares queues along their hierarchy (drf), while little changes.
#include <benchmark/benchmark.h>

#include <string>

#include "base/strings.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::bench {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): its builders are this file's words.

constexpr char kConf[] = R"(
actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins: [{name: drf, enableHierarchy: true}, {name: predicates}, {name: nodeorder}]
)";
constexpr int64_t kQueues = 1000;
constexpr int64_t kNodes = 100;

// A hundred departments of ten queues each; jobs of one pod that run. With `contradicts` two queues
// give their department different weights, so that the tree is made anew in each session.
void Fill(cache::Mirror& mirror, int64_t jobs, bool contradicts) {
  for (int64_t n = 0; n < kNodes; ++n) {
    Put(NodeSpec{.name = StrCat("n", n),
                 .cpu_milli = 1'000'000,
                 .memory_bytes = int64_t{1} << 40,
                 .pods = 10'000},
        mirror);
  }
  for (int64_t q = 0; q < kQueues; ++q) {
    Put(QueueSpec{.name = StrCat("q", q),
                  .hierarchy = StrCat("root/d", q % 100, "/q", q),
                  .hierarchy_weights = contradicts && q == 0 ? "1/3/1" : "1/2/1"},
        mirror);
  }
  for (int64_t j = 0; j < jobs; ++j) {
    const std::string job = StrCat("ns/j", j);
    cache::CompiledPodGroup group;  // It shows already that it runs.
    group.facts = std::make_shared<model::JobFacts>();
    group.facts->ns = "ns";
    group.facts->name = StrCat("j", j);
    group.facts->uid = StrCat("uid-", j);
    group.facts->created_us = j;
    group.queue = StrCat("q", j % kQueues);
    group.min_member = 1;
    group.shown.phase = model::PodGroupPhase::kRunning;
    group.shown.running = 1;
    mirror.PutPodGroup(std::move(group));
    Put(PodSpec{.name = StrCat("p", j),
                .job = job,
                .node = StrCat("n", j % kNodes),
                .status = model::TaskStatus::kRunning,
                .cpu_milli = 100,
                .memory_bytes = 1 << 20},
        mirror);
  }
}

// One new pod waits in each cycle, in a queue of its own.
void BM_OneNewPodInAHierarchy(benchmark::State& state) {
  ManualClock clock(absl::FromUnixSeconds(1'000'000));
  cache::Mirror mirror(clock, {});
  Fill(mirror, state.range(0), state.range(1) != 0);
  PolicyBed bed(kConf);
  bed.RunOnce(mirror.Publish());
  size_t binds = 0;
  for (auto _ : state) {
    mirror.RemovePod("ns/new");
    mirror.RemovePodGroup("ns/new");
    Put(JobSpec{.name = "ns/new", .queue = "q7"}, mirror);
    Put(PodSpec{.name = "new", .job = "ns/new", .cpu_milli = 100}, mirror);
    binds = bed.RunOnce(mirror.Publish());
  }
  if (binds != 1) state.SkipWithError("the new pod was not bound");
}
BENCHMARK(BM_OneNewPodInAHierarchy)
    ->ArgNames({"jobs", "contradicts"})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({20'000, 0})
    ->Args({20'000, 1})
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

}  // namespace
}  // namespace bth::bench

BENCHMARK_MAIN();
