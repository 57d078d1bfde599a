// Cycles that must evict: a full cluster, and one gang of higher rank.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "actions/builtin.h"
#include "base/strings.h"
#include "conf/load.h"
#include "framework/session/cycle.h"
#include "plugins/builtin.h"
#include "tests/support/counting_sink.h"
#include "tests/worlds/random_world.h"

namespace bth::test {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;

// Every node is full of pods of 4 CPUs, eight each, in jobs of 20 of which four may be missing. The
// gang's pods ask for 16 CPUs, so that each takes the room of four.
class FullCluster {
 public:
  FullCluster(int64_t nodes, int64_t gang, bool other_queue)
      : clock_(absl::FromUnixSeconds(1'000'000)), mirror_(clock_, {}) {
    mirror_.PutPriorityClass("low", 10, false);
    mirror_.PutPriorityClass("high", 1000, false);
    Put(QueueSpec{.name = "default"}, mirror_);
    Put(QueueSpec{.name = "other"}, mirror_);
    for (int64_t i = 0; i < nodes; ++i) {
      Put(NodeSpec{.name = NodeName(i), .cpu_milli = 32'000, .memory_bytes = 256 * kGi, .pods = 50},
          mirror_);
    }
    for (int64_t i = 0; i < nodes * 8; ++i) {
      if (i % 20 == 0) AddJob(StrCat("low-", i / 20), other_queue ? "other" : "default", 16);
      AddPod(StrCat("low-", i / 20), i, 4'000, NodeName(i * 7 % nodes));
    }
    AddJob("gang", "default", gang);
    for (int64_t i = 0; i < gang; ++i) AddPod("gang", i, 16'000, "");
  }
  cache::Mirror& mirror() { return mirror_; }
  ManualClock& clock() { return clock_; }

 private:
  static std::string NodeName(int64_t i) { return StrCat("node-", absl::Dec(i, absl::kZeroPad6)); }
  void AddJob(const std::string& name, const std::string& queue, int64_t minimum) {
    cache::CompiledPodGroup group;
    group.facts = std::make_shared<model::JobFacts>();
    group.facts->ns = "ns";
    group.facts->name = name;
    group.facts->uid = "uid-" + name;
    group.queue = queue;
    group.priority_class = name == "gang" ? "high" : "low";
    group.min_member = static_cast<int32_t>(minimum);
    group.shown.phase =
        name == "gang" ? model::PodGroupPhase::kInqueue : model::PodGroupPhase::kRunning;
    group.shown.running = name == "gang" ? 0 : 20;
    mirror_.PutPodGroup(std::move(group));
  }
  void AddPod(const std::string& job, int64_t number, int64_t cpu_milli, const std::string& node) {
    Put(PodSpec{.name = StrCat(job, "-", number),
                .job = "ns/" + job,
                .node = node,
                .status = node.empty() ? model::TaskStatus::kPending : model::TaskStatus::kRunning,
                .cpu_milli = cpu_milli,
                .memory_bytes = kGi,
                .created_us = number},
        mirror_);
  }

  ManualClock clock_;
  cache::Mirror mirror_;
};

std::unique_ptr<framework::PolicyInstance> PolicyWith(const std::string& action,
                                                      const framework::Registry& registry) {
  const std::string conf = StrCat("actions: \"allocate, ", action, R"("
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins: [{name: drf}, {name: predicates}, {name: proportion}, {name: nodeorder}]
)");
  auto loaded = conf::ParsePolicy(conf, registry.Names());
  std::vector<conf::Finding> findings;
  auto policy = framework::PolicyInstance::Create(
      std::make_shared<const conf::Policy>(std::move(loaded->policy)), registry, &findings);
  return *std::move(policy);
}

// The same snapshot in each cycle: nothing that is decided is fed back.
void RunEvictions(benchmark::State& state, const std::string& action) {
  const bool other_queue = action.ends_with("reclaim");
  FullCluster cluster(state.range(0), state.range(1), other_queue);
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  const auto policy = PolicyWith(action, registry);
  const auto snapshot = cluster.mirror().Publish();
  size_t evictions = 0;
  for (auto _ : state) {
    CountingSink sink;
    framework::SessionContext context;
    context.snapshot = snapshot;
    context.sink = &sink;
    context.clock = &cluster.clock();
    context.uid = "session";
    framework::Cycle cycle(*policy, std::move(context));
    if (!cycle.Run().ok()) state.SkipWithError("the cycle failed");
    evictions = sink.evictions();
  }
  state.counters["evictions"] = static_cast<double>(evictions);
  if (evictions < static_cast<size_t>(state.range(1)) * 4) {
    state.SkipWithError("the gang got no room");
  }
}

void BM_Preempt(benchmark::State& state) {
  RunEvictions(state, "preempt");
}
void BM_Reclaim(benchmark::State& state) {
  RunEvictions(state, "reclaim");
}
void BM_GangPreempt(benchmark::State& state) {
  RunEvictions(state, "gangpreempt");
}
void BM_GangReclaim(benchmark::State& state) {
  RunEvictions(state, "gangreclaim");
}
BENCHMARK(BM_Preempt)->Args({1000, 250})->Unit(benchmark::kMillisecond)->MinTime(1);
BENCHMARK(BM_Reclaim)->Args({1000, 250})->Unit(benchmark::kMillisecond)->MinTime(1);
BENCHMARK(BM_GangPreempt)->Args({1000, 250})->Unit(benchmark::kMillisecond)->MinTime(1);
BENCHMARK(BM_GangReclaim)->Args({1000, 250})->Unit(benchmark::kMillisecond)->MinTime(1);

}  // namespace
}  // namespace bth::test

BENCHMARK_MAIN();
