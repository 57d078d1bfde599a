// Reclaim among many queues, in process: whole cycles over a tree of queues in four levels.
#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

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
constexpr int64_t kPodCpuMilli = 8000;
constexpr int64_t kPodsPerNode = 8;
constexpr int64_t kDivisions = 6;  // Below the root,
constexpr int64_t kTeams = 4;      // below each division,
constexpr int64_t kQueues = 7;     // and below each team: 199 queues with the root.

constexpr char kConf[] = R"(
actions: "enqueue, allocate, reclaim"
tiers:
- plugins: [{name: priority}, {name: gang, enableReclaimable: false}]
- plugins:
  - {name: conformance}
  - name: capacity
    enableHierarchy: true
    arguments: {ancestorReclaimLevel: 2}
  - {name: predicates}
  - {name: nodeorder}
)";

// Every second leaf holds twice what it deserves, and all nodes are full; each of the others wants
// a gang of `gang` pods, which it deserves.
class Organisation {
 public:
  Organisation(int64_t nodes, int64_t gang) : nodes_(nodes), gang_(gang) {
    for (int64_t i = 0; i < nodes; ++i) {
      Put(NodeSpec{.name = NodeName(i),
                   .cpu_milli = kPodCpuMilli * kPodsPerNode,
                   .memory_bytes = 64 * kGi,
                   .pods = 250},
          mirror_);
    }
    const int64_t leaves = kDivisions * kTeams * kQueues;
    const int64_t share = nodes * kPodsPerNode * kPodCpuMilli / leaves;
    AddQueue("root", "", 0);
    for (int64_t d = 0; d < kDivisions; ++d) {
      const std::string division = StrCat("d", d);
      AddQueue(division, "", share * kTeams * kQueues);
      for (int64_t t = 0; t < kTeams; ++t) {
        const std::string team = StrCat(division, "-t", t);
        AddQueue(team, division, share * kQueues);
        for (int64_t q = 0; q < kQueues; ++q) {
          leaves_.push_back(StrCat(team, "-q", q));
          AddQueue(leaves_.back(), team, share);
        }
      }
    }
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (i % 2 == 0) {
        AddJob("held-" + leaves_[i], leaves_[i], 0);
      } else {
        AddWanting(leaves_[i]);
      }
    }
    Fill();
  }

  // Something changes, as before every cycle of a daemon: a pod that waits comes anew.
  void Touch() {
    const std::string& leaf = leaves_[1];
    mirror_.RemovePod(StrCat("ns/want-", leaf, "-0"));
    PutWanting(leaf, 0);
  }
  size_t wanting() const { return leaves_.size() / 2 * static_cast<size_t>(gang_); }
  size_t queues() const { return queues_; }
  cache::Mirror& mirror() { return mirror_; }

 private:
  static std::string NodeName(int64_t i) { return StrCat("node-", absl::Dec(i, absl::kZeroPad6)); }
  void AddQueue(const std::string& name, const std::string& parent, int64_t cpu_milli) {
    cache::CompiledQueue queue;
    queue.row.name = std::make_shared<const std::string>(name);
    queue.row.uid = "uid-" + name;
    queue.row.created_us = static_cast<int64_t>(++queues_);
    queue.row.parent = parent;
    queue.row.reclaimable = name != "root";
    if (cpu_milli > 0) queue.deserved = {{"cpu", cpu_milli}};
    mirror_.PutQueue(std::move(queue));
  }
  void AddJob(const std::string& name, const std::string& queue, int64_t min) {
    Put(JobSpec{.name = "ns/" + name, .queue = queue, .min = static_cast<int32_t>(min)}, mirror_);
  }
  void AddWanting(const std::string& leaf) {
    AddJob("want-" + leaf, leaf, gang_);
    for (int64_t p = 0; p < gang_; ++p) PutWanting(leaf, p);
  }
  void PutWanting(const std::string& leaf, int64_t p) {
    Put(PodSpec{.name = StrCat("want-", leaf, "-", p),
                .job = "ns/want-" + leaf,
                .cpu_milli = kPodCpuMilli,
                .memory_bytes = kGi},
        mirror_);
  }
  void Fill() {
    const size_t holders = (leaves_.size() + 1) / 2;
    for (int64_t p = 0; p < nodes_ * kPodsPerNode; ++p) {
      const std::string& leaf = leaves_[2 * (static_cast<size_t>(p) % holders)];
      Put(PodSpec{.name = StrCat("held-", leaf, "-", p),
                  .job = "ns/held-" + leaf,
                  .node = NodeName(p % nodes_),
                  .status = model::TaskStatus::kRunning,
                  .cpu_milli = kPodCpuMilli,
                  .memory_bytes = kGi,
                  .created_us = p},
          mirror_);
    }
  }

  const int64_t nodes_;
  const int64_t gang_;
  ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  cache::Mirror mirror_{clock_, {}};
  size_t queues_ = 0;
  std::vector<std::string> leaves_;
};

std::unique_ptr<framework::PolicyInstance> MakePolicy() {
  static const auto* const registry = [] {
    auto* made = new framework::Registry();
    plugins::RegisterBuiltinPlugins(*made);
    actions::RegisterBuiltinActions(*made);
    return made;
  }();
  auto loaded = conf::ParsePolicy(kConf, registry->Names());
  if (!loaded.ok()) throw std::runtime_error(loaded.status().ToString());
  std::vector<conf::Finding> findings;
  auto made = framework::PolicyInstance::Create(
      std::make_shared<const conf::Policy>(std::move(loaded->policy)), *registry, &findings);
  if (!made.ok()) throw std::runtime_error(made.status().ToString());
  return *std::move(made);
}

void BM_ReclaimAmongQueues(benchmark::State& state) {
  Organisation world(state.range(0), state.range(1));
  const auto policy = MakePolicy();
  const ManualClock clock(absl::FromUnixSeconds(1'000'000));
  size_t evictions = 0;
  const auto run = [&] {
    CountingSink sink;
    framework::SessionContext context;
    context.snapshot = world.mirror().Publish();
    context.sink = &sink;
    context.clock = &clock;
    framework::Cycle cycle(*policy, std::move(context));
    if (!cycle.Run().ok()) state.SkipWithError("the cycle failed");
    evictions = sink.evictions();
  };
  run();  // What only a first cycle does.
  for (auto _ : state) {
    world.Touch();
    run();
  }
  state.counters["queues"] = static_cast<double>(world.queues());
  state.counters["evictions"] = static_cast<double>(evictions);
  if (evictions != world.wanting()) state.SkipWithError("not every pod got its room");
}
BENCHMARK(BM_ReclaimAmongQueues)
    ->Args({100, 2})
    ->Args({1000, 10})
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);

}  // namespace
}  // namespace bth::test

BENCHMARK_MAIN();
