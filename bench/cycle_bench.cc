// Whole cycles in process, without an API server: nodes, pods and what they are like as parameters.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/worlds/random_world.h"

namespace bth::test {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;
constexpr int64_t kZones = 8;

// What Volcano's chart configures, and the built-in default.
constexpr char kConf[] = R"(
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
)";

class Cluster {
 public:
  Cluster() : clock_(absl::FromUnixSeconds(1'000'000)), mirror_(clock_, {}) {
    Put(QueueSpec{.name = "default"}, mirror_);
  }

  void AddNodes(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      Put(NodeSpec{.name = absl::StrCat("node-", absl::Dec(i, absl::kZeroPad6)),
                   .cpu_milli = 64'000,
                   .memory_bytes = 256 * kGi,
                   .pods = 250,
                   .zone = absl::StrCat("zone-", i % kZones)},
          mirror_);
    }
    nodes_ = count;
  }

  // Gangs of `gang` pods; `vary` makes every pod's request different.
  void AddPending(int64_t pods, int64_t gang, bool vary) {
    for (int64_t i = 0; i < pods; ++i) {
      if (i % gang == 0) AddJob(absl::StrCat("ns/pending-", ++jobs_), gang);
      Put(PodSpec{.name = absl::StrCat("pending-", jobs_, "-", i),
                  .job = absl::StrCat("ns/pending-", jobs_),
                  .cpu_milli = 500 + (vary ? i % 1000 : 0),
                  .memory_bytes = kGi + (vary ? (i / 1000) * 4096 : 0),
                  .created_us = i},
          mirror_);
    }
  }

  // Gangs whose pods are labelled with their gang and ask for places accordingly.
  void AddPeers(int64_t pods, int64_t gang,
                const std::function<void(const SelectorSpec& of_gang, PeerSpecs*)>& ask) {
    for (int64_t i = 0; i < pods; ++i) {
      if (i % gang == 0) AddJob(absl::StrCat("ns/pending-", ++jobs_), gang);
      PodSpec pod{.name = absl::StrCat("pending-", jobs_, "-", i),
                  .job = absl::StrCat("ns/pending-", jobs_),
                  .cpu_milli = 500,
                  .memory_bytes = kGi,
                  .created_us = i};
      pod.peers.labels = {{"gang", absl::StrCat(jobs_)}, {"index", absl::StrCat(i % gang)}};
      ask({.label = "gang", .value = absl::StrCat(jobs_)}, &pod.peers);
      Put(pod, mirror_);
    }
  }

  // Gangs whose PodGroups show already that they run: nothing is left to do for them.
  void AddRunning(int64_t pods, int64_t gang) {
    for (int64_t i = 0; i < pods; ++i) {
      if (i % gang == 0) AddSettledJob(absl::StrCat("running-", ++jobs_), gang);
      Put(PodSpec{.name = absl::StrCat("running-", jobs_, "-", i),
                  .job = absl::StrCat("ns/running-", jobs_),
                  .node = absl::StrCat("node-", absl::Dec(i % nodes_, absl::kZeroPad6)),
                  .status = model::TaskStatus::kRunning,
                  .cpu_milli = 500,
                  .memory_bytes = kGi},
          mirror_);
    }
  }

  // Jobs of one pod that asks for more than any node has.
  void AddHopeless(int64_t jobs) {
    for (int64_t i = 0; i < jobs; ++i) {
      AddJob(absl::StrCat("ns/hopeless-", i), 1);
      Put(PodSpec{.name = absl::StrCat("hopeless-", i),
                  .job = absl::StrCat("ns/hopeless-", i),
                  .cpu_milli = 100'000},
          mirror_);
    }
  }

  void RemovePending(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      mirror_.RemovePod(absl::StrCat("ns/pending-", jobs_, "-", i));
    }
    mirror_.RemovePodGroup(absl::StrCat("ns/pending-", jobs_));
  }

  // A running pod that no scheduler of ours placed.
  void AddForeign(const std::string& name, int64_t node) {
    Put(PodSpec{.name = name,
                .node = absl::StrCat("node-", absl::Dec(node, absl::kZeroPad6)),
                .status = model::TaskStatus::kRunning,
                .cpu_milli = 500,
                .memory_bytes = kGi},
        mirror_);
  }
  void RemoveForeign(const std::string& name) { mirror_.RemovePod("ns/" + name); }

  cache::Mirror& mirror() { return mirror_; }

 private:
  void AddJob(const std::string& name, int64_t gang) {
    Put(JobSpec{.name = name, .queue = "default", .min = static_cast<int32_t>(gang)}, mirror_);
  }
  void AddSettledJob(const std::string& name, int64_t gang) {
    cache::CompiledPodGroup group;
    group.facts = std::make_shared<model::JobFacts>();
    group.facts->ns = "ns";
    group.facts->name = name;
    group.facts->uid = "uid-" + name;
    group.queue = "default";
    group.min_member = static_cast<int32_t>(gang);
    group.shown.phase = model::PodGroupPhase::kRunning;
    group.shown.running = static_cast<int32_t>(gang);
    mirror_.PutPodGroup(std::move(group));
  }

  ManualClock clock_;
  cache::Mirror mirror_;
  int64_t nodes_ = 0;
  int64_t jobs_ = 0;
};

// Runs cycles of one policy, as the daemon does: plugins and caches live on between them. The
// change that leads to each cycle counts too, because what it writes is copied first.
void RunCycles(benchmark::State& state, Cluster& cluster, const std::function<void()>& change) {
  PolicyBed bed(kConf);
  size_t binds = bed.RunOnce(cluster.mirror().Publish());  // What only a first cycle does.
  for (auto _ : state) {
    change();
    binds = bed.RunOnce(cluster.mirror().Publish());
  }
  state.counters["binds"] = static_cast<double>(binds);
}

void BM_IdenticalPods(benchmark::State& state) {
  Cluster cluster;
  cluster.AddNodes(state.range(0));
  cluster.AddPending(state.range(1), 100, false);
  RunCycles(state, cluster, [] {});
}
BENCHMARK(BM_IdenticalPods)
    ->Args({1000, 5000})
    ->Args({10'000, 100'000})
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);

// Pods of a gang get a host each.
void BM_AntiAffinity(benchmark::State& state) {
  Cluster cluster;
  cluster.AddNodes(state.range(0));
  cluster.AddPeers(state.range(1), state.range(2), [](const SelectorSpec& gang, PeerSpecs* peers) {
    peers->affinity = {{.topology_key = kHostKey, .selector = gang, .avoids = true}};
  });
  RunCycles(state, cluster, [] {});
  if (state.counters["binds"] != static_cast<double>(state.range(1))) {
    state.SkipWithError("not all pods were bound");
  }
}
BENCHMARK(BM_AntiAffinity)
    ->Args({1000, 5000, 10})
    ->Args({1000, 5000, 100})
    ->Args({10'000, 5000, 100})
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);

// Pods of a gang are spread over zones, which they must be, and over hosts as far as possible.
void BM_Spread(benchmark::State& state) {
  Cluster cluster;
  cluster.AddNodes(state.range(0));
  cluster.AddPeers(state.range(1), state.range(2), [](const SelectorSpec& gang, PeerSpecs* peers) {
    peers->spread = {{.topology_key = "zone", .selector = gang},
                     {.topology_key = kHostKey, .selector = gang, .required = false}};
  });
  RunCycles(state, cluster, [] {});
  if (state.counters["binds"] != static_cast<double>(state.range(1))) {
    state.SkipWithError("not all pods were bound");
  }
}
BENCHMARK(BM_Spread)
    ->Args({1000, 5000, 10})
    ->Args({1000, 5000, 100})
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);

void BM_DifferentPods(benchmark::State& state) {
  Cluster cluster;
  cluster.AddNodes(state.range(0));
  cluster.AddPending(state.range(1), 1, true);
  RunCycles(state, cluster, [] {});
}
BENCHMARK(BM_DifferentPods)
    ->Args({1000, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);

void BM_OneNewPod(benchmark::State& state) {
  Cluster cluster;
  cluster.AddNodes(state.range(0));
  cluster.AddRunning(state.range(1), 100);
  bool first = true;
  RunCycles(state, cluster, [&] {
    if (!first) cluster.RemovePending(1);
    first = false;
    cluster.AddPending(1, 1, false);
  });
}
BENCHMARK(BM_OneNewPod)->Args({10'000, 100'000})->Unit(benchmark::kMicrosecond)->MinTime(1);

// A running pod goes and comes back; nothing is pending.
void BM_NothingPending(benchmark::State& state) {
  Cluster cluster;
  cluster.AddNodes(state.range(0));
  cluster.AddRunning(state.range(1), 100);
  bool there = true;
  RunCycles(state, cluster, [&] {
    there = !there;
    if (there) {
      cluster.AddForeign("guest", 0);
    } else {
      cluster.RemoveForeign("guest");
    }
  });
}
BENCHMARK(BM_NothingPending)->Args({10'000, 100'000})->Unit(benchmark::kMicrosecond)->MinTime(1);

// Jobs that no node can take are tried again because a pod came or went.
void BM_Hopeless(benchmark::State& state) {
  Cluster cluster;
  cluster.AddNodes(state.range(0));
  cluster.AddRunning(20'000, 100);
  cluster.AddHopeless(state.range(1));
  bool there = true;
  RunCycles(state, cluster, [&] {
    there = !there;
    if (there) {
      cluster.AddForeign("guest", 0);
    } else {
      cluster.RemoveForeign("guest");
    }
  });
}
BENCHMARK(BM_Hopeless)->Args({1000, 1000})->Unit(benchmark::kMicrosecond)->MinTime(1);

// Bytes of heap that the mirror takes per running pod and per node.
void BM_Memory(benchmark::State& state) {
  for (auto _ : state) {
    const auto used = [] { return static_cast<double>(mallinfo2().uordblks); };
    const double start = used();
    Cluster cluster;
    cluster.AddNodes(10'000);
    const auto with_nodes_snapshot = cluster.mirror().Publish();
    const double with_nodes = used();
    cluster.AddRunning(100'000, 100);
    const auto snapshot = cluster.mirror().Publish();
    const double with_pods = used();
    state.counters["bytes_per_node"] = (with_nodes - start) / 10'000;
    state.counters["bytes_per_pod"] = (with_pods - with_nodes) / 100'000;
  }
}
BENCHMARK(BM_Memory)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bth::test

BENCHMARK_MAIN();
