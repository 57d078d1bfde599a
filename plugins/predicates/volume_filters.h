// The filters of kube-scheduler that look at volumes: limits, zones, restrictions, binding.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "framework/hooks/plugin.h"
#include "framework/session/session.h"
#include "plugins/predicates/arguments.h"
#include "plugins/predicates/node_volumes.h"
#include "plugins/predicates/volume_book.h"

namespace bth::plugins::predicates {

// Pods without volumes do not meet them. Lives for one session, like its books. Thread: as hooks.
class VolumeFilters {
 public:
  VolumeFilters(framework::Session& session, const Switches& switches);

  // Why the pod's claims keep it off all nodes, or kFits. Scheduling thread.
  framework::ReasonId PreFilter(model::TaskId task);
  // Those that stand before topology spread in the order of reasons, and those behind.
  void AddBeforeSpread(framework::HookRegistrar& hooks);
  void AddAfterSpread(framework::HookRegistrar& hooks);

  const VolumeBook& book() const { return book_; }

 private:
  // Answers for one node.
  using NodeTest = std::function<framework::ReasonId(model::TaskId, model::NodeId)>;
  void Add(framework::HookRegistrar& hooks, NodeTest test) const;
  const model::PodVolumes* VolumesOf(model::TaskId task) const;
  // Texts of the filters' own look at the claims; empty: nothing is wrong.
  std::string WhyNoZone(const model::PodVolumes& volumes) const;
  std::string WhyNoLimit(const model::PodVolumes& volumes) const;
  bool InZone(model::TaskId task, const model::NodeFacts& node) const;

  framework::Session& session_;
  // Each filter asks about the same task.
  mutable model::TaskId asked_;
  mutable const model::PodVolumes* answer_ = nullptr;
  const Switches switches_;
  const model::StorageView& view_;
  VolumeBook book_;
  NodeVolumes mounted_;
  framework::ReasonId other_claims_;
};

}  // namespace bth::plugins::predicates
