// What plugins say when they are asked, and what they are told.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "api/model/snapshot.h"
#include "framework/hooks/hooks.h"
#include "framework/session/culprit.h"

namespace bth::framework {

// Each question goes to the hooks of its kind (hook_kinds.inc.h says how their answers combine) and
// has an answer where no plugin has one. Thread: scheduling.
class Votes {
 public:
  Votes(const model::Snapshot& base, const HookTable& hooks, Culprit& culprit)
      : base_(base), hooks_(hooks), culprit_(culprit) {}

  // Orders: negative when the first comes first; ties end at (creation, UID), never 0 for two. Two
  // tasks whose names have an index go by it, as in Volcano, so that three may go round in a
  // circle: whoever sorts tasks begins with an order that does not come from ids.
  int CompareJobs(model::JobId a, model::JobId b) const;
  int CompareQueues(model::QueueId a, model::QueueId b) const;
  int CompareTasks(model::TaskId a, model::TaskId b) const;
  int CompareSubJobs(model::SubJobId a, model::SubJobId b) const;

  bool JobReady(model::JobId id) const {
    return culprit_.WorkOn(id, [&] { return !hooks_.job_withheld(id) && hooks_.job_ready(id); });
  }
  bool JobPipelined(model::JobId id) const { return hooks_.job_pipelined(id); }
  bool SubJobReady(model::JobId job, model::SubJobId id) const;
  bool SubJobPipelined(model::JobId job, model::SubJobId id) const;
  JobValidity ValidateJob(model::JobId id) const {
    return culprit_.WorkOn(id, [&] { return hooks_.job_valid(id); });
  }

  bool Overused(model::QueueId id) const { return hooks_.overused(id); }
  bool Allocatable(model::QueueId queue, model::TaskId task) const;
  // Some task of the job was not allocatable when it was asked about.
  bool refused_by_share(model::JobId id) const { return refused_by_share_.contains(id); }

  bool JobEnqueueable(model::JobId id) const {
    return culprit_.WorkOn(id, [&] { return hooks_.job_enqueueable(id); });
  }
  void JobEnqueued(model::JobId id);
  // Some job was admitted in this session.
  bool admitted() const { return admitted_; }

  // Null: nothing.
  std::shared_ptr<const model::VolumePlan> VolumePlanOf(model::TaskId task) const {
    return hooks_.volume_plan(task);
  }
  std::shared_ptr<const model::ClaimPlan> ClaimPlanOf(model::TaskId task) const {
    return hooks_.claim_plan(task);
  }
  std::shared_ptr<const model::CpuSet> CpuPlanOf(model::TaskId task) const {
    return hooks_.cpu_plan(task);
  }
  std::shared_ptr<const model::DevicePlan> DevicePlanOf(model::TaskId task) const {
    return hooks_.device_plan(task);
  }

  // The queue has room for the pod, whose only gate is Volcano's own: the gate shall go. The pod
  // itself waits for it; the event handlers of plugins learn of it.
  void LiftGate(model::TaskId task);
  const std::vector<model::TaskId>& lifted_gates() const { return lifted_gates_; }

 private:
  const model::Snapshot& base_;
  const HookTable& hooks_;
  Culprit& culprit_;
  mutable absl::flat_hash_set<model::JobId> refused_by_share_;
  bool admitted_ = false;
  std::vector<model::TaskId> lifted_gates_;
};

}  // namespace bth::framework
