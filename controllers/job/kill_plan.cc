#include "controllers/job/kill_plan.h"

#include "controllers/core/pods.h"
#include "controllers/job/keys.h"

namespace bth::controllers {
namespace {

using types::Pod;
using Kind = KillTarget::Kind;

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

int32_t VersionIn(const Pod& pod) {
  const absl::StatusOr<PodPlace> place = PlaceOf(pod);
  return place.ok() ? place->version : 0;
}

// Whether the kill that began the present version has left a pod of the last one. Pods that ended
// in an earlier one were spared when the job was stopped, and stay when it is resumed.
bool HasOutdatedPods(const JobView& job, bool spare_finished) {
  for (const auto& [task, pods] : job.tasks) {
    for (const auto& [name, pod] : *pods) {
      const bool is_finished = IsFinished(*pod);
      if (job.IsTerminating(*pod) || (spare_finished && is_finished)) continue;
      const int32_t version = VersionIn(*pod);
      if (is_finished ? version == job.version - 1 : version < job.version) return true;
    }
  }
  return false;
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
        if (aimed && target.kind != Kind::kJob) plan.leaving.push_back(pod);
      } else if (aimed && !(spare_finished && IsFinished(*pod))) {
        plan.victims.push_back(pod);
        plan.is_present = plan.is_present || VersionIn(*pod) >= job.version;
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

bool SparesFinished(const types::BatchJob& job, const JobStep& step) {
  types::BatchJobStatus status;
  status.retry_count = job.status.retry_count;
  // This one is counted already.
  if (step.decision == Decision::kRestart) --status.retry_count;
  return step.spare_finished || IsLastRetry(job.spec, status);
}

JobStep StepOf(const JobView& job, types::BusAction action) {
  const types::JobPhase phase = job.job->status.state.phase.value();
  const JobStep step = StepFor(phase, action);
  const bool goes_on =
      step.operation == JobStep::Operation::kSync && step.decision == Decision::kRestart;
  if (!goes_on || !HasOutdatedPods(job, SparesFinished(*job.job, step))) return step;
  return StepFor(phase, types::BusAction::kRestartJob);
}

}  // namespace bth::controllers
