// A random cluster that goes on from cycle to cycle.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/worlds/plugin_parts.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {

// What is decided comes about, and here and there something changes.
class Life {
 public:
  explicit Life(Rng& rng, bool ranks = false)
      : rng_(rng), mirror_(clock_, {}), world_(RandomWorld(rng)) {
    if (ranks) {
      AddRanks(rng, &world_);
      PutPriorities(mirror_);
    }
    if (rng.Chance(0.3)) MakeAlike(rng, &world_);
    const double strict = rng.Chance(0.5) ? 0.2 : 0.8;
    for (QueueSpec& queue : world_.queues) queue.strict = rng.Chance(strict);
    for (JobSpec& job : world_.jobs) {
      if (rng.Chance(0.3)) job.minimum_cpu_milli = static_cast<int64_t>(1 + rng.Below(12)) * 500;
      if (rng.Chance(0.3)) job.phase = model::PodGroupPhase::kPending;
    }
    Feed(world_, mirror_, 0);
  }

  // A world as it is, with priorities.
  Life(Rng& rng, WorldSpec world) : rng_(rng), mirror_(clock_, {}), world_(std::move(world)) {
    PutPriorities(mirror_);
    Feed(world_, mirror_, rng.Next() | 1);
  }

  std::shared_ptr<const model::Snapshot> Publish() { return mirror_.Publish(); }

  void ComeAbout(const CycleResult& decided) {
    for (const auto& [pod, node] : decided.binds) {
      if (!rng_.Chance(0.9)) continue;
      Assume(pod, node, decided);
      for (PodSpec& spec : world_.pods) {
        if (spec.Key() != pod || rng_.Chance(0.3)) continue;
        spec.node = node;
        spec.card = decided.CardOf(pod);
        spec.status = model::TaskStatus::kRunning;
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
    if (AnyLoad() && rng_.Chance(0.1)) {
      Any(world_.nodes).load = RandomLoad(rng_);
      PutLoads(world_, mirror_);
    }
    if (!world_.queues.empty() && rng_.Chance(0.1)) {
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

  void Assume(const std::string& pod, const std::string& node, const CycleResult& decided) {
    const auto known = decided.given.find(pod);
    const Given given = known == decided.given.end() ? Given() : known->second;
    if (!mirror_.AssumeBinding(pod, UidOf(pod), node, given.devices.get()).ok()) return;
    if (given.cpus != nullptr) mirror_.numa().Assume(UidOf(pod), pod, node, *given.cpus);
  }
  bool AnyLoad() const {
    return std::any_of(world_.nodes.begin(), world_.nodes.end(),
                       [](const NodeSpec& node) { return node.load.has_value(); });
  }

  void ChangePod(PodSpec& pod) {
    if (!pod.node.empty()) {
      if (rng_.Chance(0.5)) {
        mirror_.RemovePod(pod.Key());
      } else {
        pod.status = rng_.Chance(0.5) ? model::TaskStatus::kSucceeded : model::TaskStatus::kRunning;
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

}  // namespace bth::test
