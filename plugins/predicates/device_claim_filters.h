// The filter and the score of kube-scheduler that look at devices: dynamic resource allocation.
#pragma once

#include "framework/hooks/plugin.h"
#include "framework/session/session.h"
#include "plugins/predicates/arguments.h"
#include "plugins/predicates/device_claim_book.h"

namespace bth::plugins::predicates {

// Pods without device claims do not meet it. Lives for one session, like its book. Thread: as
// hooks.
class DeviceClaimFilters {
 public:
  // `verdicts` outlives it.
  DeviceClaimFilters(framework::Session& session, const Switches& switches,
                     DeviceVerdicts& verdicts);

  // Why the pod's claims keep it off all nodes, or kFits. Scheduling thread.
  framework::ReasonId PreFilter(model::TaskId task);
  void Add(framework::HookRegistrar& hooks);

  const DeviceClaimBook& book() const { return book_; }

 private:
  bool HasClaims(model::TaskId task) const;
  framework::ReasonId Judge(model::TaskId task, model::NodeId node);
  void Score(model::TaskId task, absl::Span<const model::NodeId> nodes, absl::Span<double> sum);

  framework::Session& session_;
  DeviceClaimBook book_;
  const framework::ReasonId general_;
  const framework::ReasonId elsewhere_;
  const framework::ReasonId none_;
  const framework::ReasonId given_up_;
};

}  // namespace bth::plugins::predicates
