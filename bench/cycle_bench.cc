// Whole cycles in process, without an API server: nodes, pods and what they are like as parameters.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "bench/cluster.h"

namespace bth::bench {
namespace {

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

// All nodes are asked for each pod.
void BM_ColdScan(benchmark::State& state) {
  Cluster cluster;
  cluster.AddNodes(10'000);
  cluster.AddPending(2000, 1, true);
  RunCycles(state, cluster, [] {});
}
BENCHMARK(BM_ColdScan)->Unit(benchmark::kMillisecond)->MinTime(2);

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
}  // namespace bth::bench

BENCHMARK_MAIN();
