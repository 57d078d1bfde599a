// Cycles while very many jobs wait that nothing can be done for: cost must follow what changed.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/strings.h"
#include "bench/cluster.h"

namespace bth::bench {
namespace {

constexpr int64_t kNodes = 10'000;
constexpr int64_t kRunning = 100'000;
constexpr int64_t kGang = 10;
constexpr int64_t kQueues = 50;
constexpr int64_t kShapes = 200;
constexpr int64_t kGpusPerNode = 8;
constexpr int64_t kGpuGangs = 100;

// With actions that evict, as many clusters are set up: preempt by priority, reclaim by share. All
// jobs have the same priority.
constexpr char kEvictingConf[] = R"(
actions: "enqueue, allocate, preempt, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
)";

// Nodes of which one core is left, and gangs in 50 queues that all ask for more; each queue has its
// share of what runs, so that nobody is there to be evicted. The last hundred
// of them ask for a GPU per pod; one pod holds all the GPUs of the first node.
class DeepCluster {
 public:
  // With `leaders` the first pod of each gang asks for little: nodes can take it, though not the
  // others, as of an MPI job or of one with a parameter server.
  explicit DeepCluster(int64_t gangs, bool leaders = false) : leaders_(leaders) {
    cluster_.AddNodes(kNodes);
    Put(NodeSpec{.name = "gpu-node",
                 .cpu_milli = 64'000,
                 .memory_bytes = 256 * kGi,
                 .gpu_milli = kGpusPerNode * 1000,
                 .pods = 250},
        cluster_.mirror());
    std::vector<std::string> queues;
    for (int64_t q = 0; q < kQueues; ++q) {
      queues.push_back(StrCat("q", q));
      Put(QueueSpec{.name = queues.back()}, cluster_.mirror());
    }
    cluster_.AddRunning(kRunning, 100, 6'300, queues);
    for (int64_t g = 0; g < gangs; ++g) AddGang(g, /*gpu=*/gangs - g <= kGpuGangs);
    HoldGpus();
  }

  void AddPod(const std::string& name, int64_t cpu_milli) {
    Put(JobSpec{.name = "ns/" + name, .queue = "q0", .min = 1}, cluster_.mirror());
    Put(PodSpec{.name = name, .job = "ns/" + name, .cpu_milli = cpu_milli, .memory_bytes = kGi},
        cluster_.mirror());
  }
  void RemovePod(const std::string& name) {
    cluster_.mirror().RemovePod("ns/" + name);
    cluster_.mirror().RemovePodGroup("ns/" + name);
  }
  void HoldGpus() {
    Put(PodSpec{.name = "holder",
                .node = "gpu-node",
                .status = model::TaskStatus::kRunning,
                .cpu_milli = 63'000,
                .memory_bytes = kGi,
                .gpu_milli = kGpusPerNode * 1000},
        cluster_.mirror());
  }
  // The cores stay taken by another pod.
  void FreeGpus() {
    Put(PodSpec{.name = "holder",
                .node = "gpu-node",
                .status = model::TaskStatus::kRunning,
                .cpu_milli = 63'000,
                .memory_bytes = kGi},
        cluster_.mirror());
  }
  Cluster& cluster() { return cluster_; }

 private:
  void AddGang(int64_t g, bool gpu) {
    const std::string name = StrCat("waits-", g);
    Put(JobSpec{.name = "ns/" + name,
                .queue = StrCat("q", g % kQueues),
                .min = static_cast<int32_t>(kGang),
                .created_us = g},
        cluster_.mirror());
    for (int64_t i = 0; i < kGang; ++i) {
      const bool leads = leaders_ && i == 0;
      Put(PodSpec{.name = StrCat(name, "-", i),
                  .job = "ns/" + name,
                  .cpu_milli = gpu || leads ? 100 : 2000 + 50 * (g % kShapes),
                  .memory_bytes = kGi,
                  .gpu_milli = gpu && !leads ? 1000 : 0,
                  .created_us = g},
          cluster_.mirror());
    }
  }

  const bool leaders_;
  Cluster cluster_;
};

// A pod comes in each cycle, the last one goes.
void RunWithNewPods(benchmark::State& state, int64_t cpu_milli, const std::string& conf,
                    bool leaders = false) {
  DeepCluster deep(state.range(0), leaders);
  bool first = true;
  const auto change = [&] {
    if (!first) deep.RemovePod("new");
    first = false;
    deep.AddPod("new", cpu_milli);
  };
  RunCycles(state, deep.cluster(), change, conf);
}

void BM_OneNewPodThatFits(benchmark::State& state, const std::string& conf) {
  RunWithNewPods(state, 500, conf);
  if (state.counters["binds"] != 1) state.SkipWithError("the new pod was not bound");
}
BENCHMARK_CAPTURE(BM_OneNewPodThatFits, placing, std::string(kConf))
    ->Arg(0)
    ->Arg(10'000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_OneNewPodThatFits, evicting, std::string(kEvictingConf))
    ->Arg(0)
    ->Arg(10'000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

void BM_OneNewPodThatDoesNot(benchmark::State& state, const std::string& conf) {
  RunWithNewPods(state, 2'000, conf);
  if (state.counters["binds"] != 0) state.SkipWithError("something was bound");
}
BENCHMARK_CAPTURE(BM_OneNewPodThatDoesNot, placing, std::string(kConf))
    ->Arg(0)
    ->Arg(10'000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_OneNewPodThatDoesNot, evicting, std::string(kEvictingConf))
    ->Arg(0)
    ->Arg(10'000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

// The same while each gang that waits has a pod that would have a place.
void BM_OneNewPodBesideLeaders(benchmark::State& state, const std::string& conf) {
  RunWithNewPods(state, 500, conf, /*leaders=*/true);
  if (state.counters["binds"] != 1) state.SkipWithError("the new pod was not bound");
}
BENCHMARK_CAPTURE(BM_OneNewPodBesideLeaders, placing, std::string(kConf))
    ->Arg(1'000)
    ->Arg(10'000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_OneNewPodBesideLeaders, evicting, std::string(kEvictingConf))
    ->Arg(1'000)
    ->Arg(10'000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

// A hundred gangs are tried because a node could take some of their pods, though not all.
void BM_NodeFreed(benchmark::State& state) {
  DeepCluster deep(state.range(0));
  bool free = false;
  RunCycles(state, deep.cluster(), [&] {
    free = !free;
    if (free) {
      deep.FreeGpus();
    } else {
      deep.HoldGpus();
    }
  });
  if (state.counters["binds"] != 0) state.SkipWithError("something was bound");
  if (state.counters["jobs"] != kGpuGangs) state.SkipWithError("other gangs were tried");
}
BENCHMARK(BM_NodeFreed)->Arg(10'000)->Unit(benchmark::kMicrosecond)->MinTime(1);

}  // namespace
}  // namespace bth::bench

BENCHMARK_MAIN();
