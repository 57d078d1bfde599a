// Cycles that place pods which services select: what the spread by default adds to a placement.
#include <benchmark/benchmark.h>

#include <string>

#include "base/strings.h"
#include "bench/cluster.h"

namespace bth::bench {
namespace {

constexpr int64_t kPods = 6000;  // More groups than questions are remembered of, in gangs of 10.

enum class Services : uint8_t {
  kNone,  // Nothing selects the pods: no spread by default.
  kOwn,   // One for each group: the svc plugin, or a Service per ReplicaSet of one pod.
  kOne,   // One selects them all.
};

// Groups of `gang` pods, labelled with their group.
void AddPods(Cluster& cluster, int64_t gang, Services services) {
  const auto none = [](const SelectorSpec&, PeerSpecs* peers) { peers->labels["app"] = "web"; };
  cluster.AddPeers(kPods, gang, none);
  if (services == Services::kOne) {
    Put(ServiceSpec{.name = "all", .selector = {{"app", "web"}}}, cluster.mirror());
  }
  if (services != Services::kOwn) return;
  for (int64_t g = 1; g <= kPods / gang; ++g) {
    const std::string own = StrCat(g);
    Put(ServiceSpec{.name = StrCat("s", own), .selector = {{"gang", own}}}, cluster.mirror());
  }
}

void Place(benchmark::State& state, Services services) {
  Cluster cluster;
  cluster.AddNodes(state.range(0));
  AddPods(cluster, state.range(1), services);
  RunCycles(state, cluster, [] {});
  if (state.counters["binds"] != static_cast<double>(kPods)) {
    state.SkipWithError("not all pods were bound");
  }
  using benchmark::Counter;
  state.counters["s_per_pod"] =
      Counter(kPods, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void NodesAndGang(benchmark::internal::Benchmark* bench) {
  for (const int64_t nodes : {1000, 5000}) {
    for (const int64_t gang : {1, 10, 100}) bench->Args({nodes, gang});
  }
  bench->ArgNames({"nodes", "gang"})->Unit(benchmark::kMillisecond)->MinTime(1);
}

void BM_Unselected(benchmark::State& state) {
  Place(state, Services::kNone);
}
BENCHMARK(BM_Unselected)->Apply(NodesAndGang);

void BM_ServicePerGroup(benchmark::State& state) {
  Place(state, Services::kOwn);
}
BENCHMARK(BM_ServicePerGroup)->Apply(NodesAndGang);

void BM_OneService(benchmark::State& state) {
  Place(state, Services::kOne);
}
BENCHMARK(BM_OneService)->Apply(NodesAndGang);

}  // namespace
}  // namespace bth::bench

BENCHMARK_MAIN();
