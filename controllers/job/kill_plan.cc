#include "controllers/job/kill_plan.h"

#include "controllers/job/keys.h"

namespace bth::controllers {
namespace {

using types::Pod;
using Kind = KillTarget::Kind;

bool IsFinished(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

bool IsAimedAt(const KillTarget& target, const std::string& task, const Pod& pod) {
  if (target.kind == Kind::kJob) return true;
  if (task != target.task) return false;
  if (target.kind == Kind::kPod) return pod.meta.name == target.pod;
  if (target.kind == Kind::kPartition) return pod.meta.Label(kPartitionIdKey) == target.partition;
  return true;
}

// Pods have partitions only where their task has a policy for it.
bool HasPartitions(const JobView& job, const std::string& task) {
  const types::BatchTask* spec = FindTask(job.job->spec, task);
  return spec != nullptr && spec->partition_policy.has_value();
}

}  // namespace

KillTarget TargetOf(const JobRequest& request, types::BusAction action) {
  KillTarget target;
  switch (action) {
    case types::BusAction::kRestartTask:
      target.kind = KillTarget::Kind::kTask;
      break;
    case types::BusAction::kRestartPod:
      target.kind = KillTarget::Kind::kPod;
      break;
    case types::BusAction::kRestartPartition:
      target.kind = KillTarget::Kind::kPartition;
      break;
    default:
      return target;
  }
  target.task = request.task;
  target.pod = request.pod;
  target.partition = request.partition;
  return target;
}

KillPlan PlanKill(const JobView& job, const KillTarget& target, bool spare_finished) {
  KillPlan plan;
  bool found = false;
  for (const auto& [task, pods] : job.tasks) {
    for (const auto& [name, pod] : *pods) {
      const bool aimed = IsAimedAt(target, task, *pod);
      found = found || aimed;
      if (job.IsTerminating(*pod)) {
        ++plan.counts.terminating;
      } else if (aimed && !(spare_finished && IsFinished(*pod))) {
        plan.victims.push_back(pod);
      } else {
        plan.counts.Add(task, *pod);
      }
    }
  }
  if (target.kind == Kind::kPartition) {
    plan.is_void = target.partition.empty() || !found || !HasPartitions(job, target.task);
  }
  if (plan.is_void) plan.victims.clear();
  return plan;
}

}  // namespace bth::controllers
