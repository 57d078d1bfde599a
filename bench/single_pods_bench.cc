// Rounds of single pods as vc-agent-scheduler decides them, by one worker and by several that
// decide side by side on one snapshot.
#include <benchmark/benchmark.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actions/builtin.h"
#include "actions/single_pods/single_pods.h"
#include "bench/cluster.h"
#include "cache/intake/single_pod.h"
#include "conf/load.h"
#include "framework/session/cycle.h"
#include "plugins/builtin.h"
#include "tests/support/counting_sink.h"
#include "tests/support/live_heap.h"

namespace bth::bench {
namespace {

constexpr char kAgentConf[] = R"(
actions: "allocate"
tiers:
- plugins:
  - name: predicates
  - name: nodeorder
)";

// What pods are like.
enum Likeness : int64_t {
  kAlike,      // One shape.
  kDifferent,  // Each asks for another amount.
  kApart,      // Each avoids the hosts of some others.
};

void PutSingle(PodSpec pod, cache::Mirror& mirror) {
  cache::CompiledPod compiled;
  compiled.names = {.ns = pod.ns, .name = pod.name, .uid = "uid-" + pod.name};
  cache::CompiledPodGroup group = cache::MakeSingle(compiled);
  pod.job = compiled.job_key;
  Put(pod, mirror);
  mirror.PutPodGroup(std::move(group));
}

void AddSingles(int64_t pods, int64_t likeness, cache::Mirror& mirror) {
  for (int64_t i = 0; i < pods; ++i) {
    PodSpec pod{.name = StrCat("agent-", absl::Dec(i, absl::kZeroPad6)),
                .cpu_milli = 500,
                .memory_bytes = kGi,
                .created_us = i};
    if (likeness == kDifferent) pod.cpu_milli += i;
    if (likeness == kApart) {
      const std::string group = StrCat(i % 100);
      pod.peers.labels = {{"group", group}};
      pod.peers.affinity = {{.topology_key = kHostKey,
                             .selector = {.label = "group", .value = group},
                             .avoids = true}};
    }
    PutSingle(pod, mirror);
  }
}

// A policy of so many workers, which lives on from round to round.
class Agent {
 public:
  explicit Agent(int workers) : clock_(absl::FromUnixSeconds(1'000'000)) {
    plugins::RegisterBuiltinPlugins(registry_);
    actions::RegisterBuiltinActions(registry_);
    actions::SinglePodOptions options{.workers = workers};
    options.on_worker_cycle = [this](absl::Duration) { ++shares_; };
    options.on_conflicts = [this](int64_t choices) { conflicts_ += choices; };
    actions::KeepForSinglePods(registry_, options);
    auto loaded = conf::ParsePolicy(kAgentConf, registry_.Names());
    if (!loaded.ok()) throw std::runtime_error(std::string(loaded.status().message()));
    std::vector<conf::Finding> findings;
    auto policy = framework::PolicyInstance::Create(
        std::make_shared<const conf::Policy>(std::move(loaded->policy)), registry_, &findings);
    if (!policy.ok()) throw std::runtime_error(std::string(policy.status().message()));
    policy_ = *std::move(policy);
  }

  // Bindings of one round; the next one on the same snapshot begins as if there had been none.
  size_t Decide(std::shared_ptr<const model::Snapshot> snapshot) {
    test::CountingSink sink;
    framework::SessionContext context;
    context.snapshot = std::move(snapshot);
    context.sink = &sink;
    context.clock = &clock_;
    context.uid = "session";
    framework::Cycle cycle(*policy_, std::move(context));
    const absl::Status status = cycle.Run();
    if (!status.ok()) throw std::runtime_error(std::string(status.message()));
    return sink.binds();
  }
  int64_t conflicts() const { return conflicts_; }
  int64_t shares() const { return shares_; }

 private:
  ManualClock clock_;
  framework::Registry registry_;
  std::atomic<int64_t> shares_ = 0;  // Workers' parts of rounds.
  int64_t conflicts_ = 0;
  std::unique_ptr<framework::PolicyInstance> policy_;
};

// Workers, nodes, pods. The column CPU is that of the scheduling thread: how long a round takes at
// least, with a core for each worker; `cpu_ms` is that of all threads.
void BM_Round(benchmark::State& state, int64_t likeness) {
  Cluster cluster;
  cluster.mirror().PutQueue(cache::SinglePodQueue());
  cluster.AddNodes(state.range(1));
  AddSingles(state.range(2), likeness, cluster.mirror());
  const auto snapshot = cluster.mirror().Publish();
  Agent agent(static_cast<int>(state.range(0)));
  agent.Decide(snapshot);  // What only a first round does.
  const int64_t shares = agent.shares();
  const int64_t conflicts = agent.conflicts();
  size_t binds = 0;
  int64_t rounds = 0;
  const std::clock_t begin = std::clock();
  for (auto _ : state) {
    binds = agent.Decide(snapshot);
    ++rounds;
  }
  if (binds != static_cast<size_t>(state.range(2))) state.SkipWithError("not all pods were bound");
  if (agent.shares() - shares != rounds * state.range(0)) state.SkipWithError("nobody shared");
  const auto per_round = static_cast<double>(rounds > 0 ? rounds : 1);
  state.counters["cpu_ms"] =
      1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / per_round;
  state.counters["conflicts"] = static_cast<double>(agent.conflicts() - conflicts) / per_round;
  state.counters["decisions/s"] =
      benchmark::Counter(static_cast<double>(rounds * state.range(2)), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Round, alike, kAlike)
    ->ArgsProduct({{1, 2, 4}, {1000}, {5000}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Round, different, kDifferent)
    ->ArgsProduct({{1, 2, 4}, {1000}, {5000}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Round, apart, kApart)
    ->ArgsProduct({{1, 2, 4}, {5000}, {5000}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// What the mirror keeps of a single pod that waits, in bytes of heap.
void BM_Memory(benchmark::State& state) {
  constexpr int64_t kPods = 20'000;
  for (auto _ : state) {
    Cluster cluster;
    cluster.mirror().PutQueue(cache::SinglePodQueue());
    cluster.AddNodes(1000);
    cluster.mirror().Publish();
    const size_t before = test::LiveHeapBytes().value_or(0);
    AddSingles(kPods, kAlike, cluster.mirror());
    const auto snapshot = cluster.mirror().Publish();
    const size_t after = test::LiveHeapBytes().value_or(0);
    state.counters["bytes/pod"] = static_cast<double>(after - before) / kPods;
  }
}
BENCHMARK(BM_Memory)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bth::bench

BENCHMARK_MAIN();
