// Leaving refused jobs alone decides as looking at every job does. BTH_SEED and BTH_WORLDS as in
// the other properties.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "tests/support/catch.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using model::PodGroupPhase;
using model::TaskStatus;

std::string PolicyWith(std::string_view actions, std::string_view queue_plugin,
                       std::string_view more) {
  return absl::StrCat("actions: \"", ToAbsl(actions), R"("
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins:
  - {name: overcommit}
  - {name: drf}
  - {name: predicates}
  - )",
                      ToAbsl(queue_plugin), R"(
  - {name: nodeorder}
  - {name: binpack}
)",
                      ToAbsl(more));
}

std::string RandomPolicy(Rng& rng) {
  constexpr std::string_view kActions[] = {"enqueue, allocate, backfill",
                                           "enqueue, allocate, backfill",
                                           "allocate, backfill",
                                           "enqueue, allocate, preempt, reclaim, backfill",
                                           "enqueue, preempt, allocate, backfill",
                                           "enqueue, allocate, gangpreempt, gangreclaim, backfill"};
  constexpr std::string_view kQueues[] = {"{name: proportion}", "{name: capacity}",
                                          "{name: capacity, enableHierarchy: true}", "{name: drf}"};
  constexpr std::string_view kMore[] = {"", "  - {name: nodegroup, arguments: {strict: false}}\n",
                                        "  - {name: resourcequota}\n", "  - {name: sla}\n"};
  return PolicyWith(kActions[rng.Below(6)], kQueues[rng.Below(4)], kMore[rng.Below(4)]);
}

// A cluster that goes on: what is decided comes about, and here and there something changes.
class Life {
 public:
  explicit Life(Rng& rng) : rng_(rng), mirror_(clock_, {}), world_(RandomWorld(rng)) {
    for (QueueSpec& queue : world_.queues) queue.strict = rng.Chance(0.2);
    for (JobSpec& job : world_.jobs) {
      if (rng.Chance(0.3)) job.minimum_cpu_milli = static_cast<int64_t>(1 + rng.Below(12)) * 500;
      if (rng.Chance(0.3)) job.phase = PodGroupPhase::kPending;
    }
    Feed(world_, mirror_, 0);
  }

  std::shared_ptr<const model::Snapshot> Publish() { return mirror_.Publish(); }

  void ComeAbout(const CycleResult& decided) {
    for (const auto& [pod, node] : decided.binds) {
      if (!rng_.Chance(0.9)) continue;
      mirror_.AssumeBinding(pod, UidOf(pod), node).IgnoreError();
      for (PodSpec& spec : world_.pods) {
        if (spec.Key() != pod || rng_.Chance(0.3)) continue;
        spec.node = node;
        spec.status = TaskStatus::kRunning;
        Put(spec, mirror_);
      }
    }
    for (const std::string& pod : decided.evictions) {
      mirror_.AssumeEviction(pod, UidOf(pod)).IgnoreError();
    }
    for (const auto& [group, phase] : decided.phases) {
      if (rng_.Chance(0.9)) mirror_.AssumePhase(group, model::ParsePhase(phase));
    }
  }

  void Change() {
    if (!world_.pods.empty() && rng_.Chance(0.6)) ChangePod(Any(world_.pods));
    if (!world_.nodes.empty() && rng_.Chance(0.15)) {
      NodeSpec& node = Any(world_.nodes);
      if (rng_.Chance(0.5)) node.cordoned = !node.cordoned;
      if (rng_.Chance(0.3)) node.cpu_milli += 1000;
      if (rng_.Chance(0.1))
        mirror_.RemoveNode(node.name);
      else
        Put(node, mirror_);
    }
    if (rng_.Chance(0.1)) {
      QueueSpec& queue = Any(world_.queues);
      queue.weight = static_cast<int32_t>(1 + rng_.Below(3));
      if (rng_.Chance(0.3)) queue.capability_cpu_milli += 1000;
      Put(queue, mirror_);
    }
    if (!world_.jobs.empty() && rng_.Chance(0.1)) {
      JobSpec& job = Any(world_.jobs);
      if (rng_.Chance(0.2)) {
        mirror_.RemovePodGroup(job.name);
      } else {
        job.min = static_cast<int32_t>(rng_.Below(4));
        Put(job, mirror_);
      }
    }
  }

 private:
  static std::string UidOf(const std::string& pod) {
    return "uid-" + pod.substr(pod.find('/') + 1);
  }
  template <typename T>
  T& Any(std::vector<T>& all) {
    return all[rng_.Below(all.size())];
  }

  void ChangePod(PodSpec& pod) {
    if (!pod.node.empty()) {
      if (rng_.Chance(0.5)) {
        mirror_.RemovePod(pod.Key());
      } else {
        pod.status = rng_.Chance(0.5) ? TaskStatus::kSucceeded : TaskStatus::kRunning;
        Put(pod, mirror_);
      }
    } else if (rng_.Chance(0.2)) {
      mirror_.RemovePod(pod.Key());
    } else {
      if (rng_.Chance(0.3)) pod.priority = static_cast<int32_t>(rng_.Below(3));
      if (rng_.Chance(0.2)) pod.cpu_milli = static_cast<int64_t>(rng_.Below(6)) * 500;
      Put(pod, mirror_);
    }
  }

  Rng& rng_;
  const ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  cache::Mirror mirror_;
  WorldSpec world_;
};

TEST_CASE("unschedulable jobs: leaving them alone decides and tells as looking at every job",
          "[framework][property]") {
  int64_t considered = 0;
  int64_t looked_at = 0;
  ForEachWorld(1500, [&](Rng& rng) {
    const std::string conf = RandomPolicy(rng);
    INFO(conf);
    Life life(rng);
    PolicyBed keeps(conf);
    PolicyBed looks(conf);
    std::map<std::string, std::string> phases;  // As last told.
    for (int round = 0; round < 14; ++round) {
      INFO("round " << round);
      const auto snapshot = life.Publish();
      const CycleResult part = keeps.RunFully(snapshot);
      const CycleResult whole = looks.LookAtAll(snapshot);
      REQUIRE(part.violations.empty());
      REQUIRE(FirstContradiction(part, whole) == "");
      for (const auto& [group, phase] : part.phases) phases[group] = phase;
      for (const auto& [group, phase] : whole.phases) {
        INFO(group);
        REQUIRE(phases[group] == phase);
      }
      considered += part.jobs_considered;
      looked_at += whole.jobs_considered;
      life.ComeAbout(whole);
      life.Change();
    }
  });
  // Many are left alone, or nothing was tried.
  CHECK(considered < looked_at * 9 / 10);
}

}  // namespace
}  // namespace bth::test
