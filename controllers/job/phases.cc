#include "controllers/job/phases.h"

#include <algorithm>
#include <limits>

namespace bth::controllers {
namespace {

using types::BatchJobSpec;
using types::BatchJobStatus;
using types::BatchTask;
using types::BusAction;
using types::JobPhase;
using Operation = JobStep::Operation;

JobStep Sync(Decision decision) {
  return {Operation::kSync, false, decision, JobPhase::kNone, false};
}
JobStep KillAll(Decision decision) {
  return {Operation::kKillJob, false, decision, JobPhase::kNone, false};
}
JobStep KillTarget(Decision decision) {
  return {Operation::kKillTarget, false, decision, JobPhase::kNone, false};
}
JobStep Stop(Decision decision, JobPhase phase) {
  return {Operation::kKillJob, true, decision, phase, false};
}
JobStep Again(Operation operation, bool spare_finished) {
  return {operation, spare_finished, Decision::kEnter, JobPhase::kRestarting, true};
}

bool IsTargeted(BusAction action) {
  return action == BusAction::kRestartTask || action == BusAction::kRestartPod ||
         action == BusAction::kRestartPartition;
}

// Pending and Running.
JobStep ActiveStep(BusAction action, Decision sync) {
  if (IsTargeted(action)) return Again(Operation::kKillTarget, false);
  switch (action) {
    case BusAction::kRestartJob:
      return Again(Operation::kKillJob, false);
    case BusAction::kAbortJob:
      return Stop(Decision::kEnter, JobPhase::kAborting);
    case BusAction::kCompleteJob:
      return Stop(Decision::kEnter, JobPhase::kCompleting);
    case BusAction::kTerminateJob:
      return Stop(Decision::kEnter, JobPhase::kTerminating);
    default:
      return Sync(sync);
  }
}

JobStep RestartingStep(BusAction action) {
  if (action == BusAction::kSyncJob) return Sync(Decision::kRestart);
  if (IsTargeted(action)) return KillTarget(Decision::kRestart);
  return KillAll(Decision::kRestart);
}

bool Enter(JobPhase phase, BatchJobStatus* status) {
  status->state.phase = phase;
  return true;
}

bool EnterByCounts(const BatchJobSpec& spec, BatchJobStatus* status) {
  const int64_t replicas = TotalReplicas(spec);
  if (replicas == 0) return false;
  if (spec.min_success.has_value() && status->succeeded >= *spec.min_success) {
    return Enter(JobPhase::kCompleted, status);
  }
  if (int64_t{status->succeeded} + status->failed == replicas) {
    if (TaskThatFellShort(spec, *status) != nullptr) return Enter(JobPhase::kFailed, status);
    if (spec.min_success.has_value()) return Enter(JobPhase::kFailed, status);
    const bool enough = status->succeeded >= spec.min_available;
    return Enter(enough ? JobPhase::kCompleted : JobPhase::kFailed, status);
  }
  if (status->pending > replicas - spec.min_available) return Enter(JobPhase::kPending, status);
  return false;
}

bool Restart(const BatchJobSpec& spec, BatchJobStatus* status) {
  if (status->retry_count >= RetriesMax(spec)) return Enter(JobPhase::kFailed, status);
  if (TotalReplicas(spec) - status->terminating < status->min_available) return false;
  return Enter(JobPhase::kPending, status);
}

}  // namespace

int64_t TotalReplicas(const BatchJobSpec& spec) {
  int64_t sum = 0;
  for (const BatchTask& task : spec.tasks) sum += std::max(task.replicas, 0);
  return sum;
}

int64_t TotalMinimum(const BatchJobSpec& spec) {
  int64_t sum = 0;
  for (const BatchTask& task : spec.tasks) {
    sum += std::max(task.min_available.value_or(task.replicas), 0);
  }
  return sum;
}

const BatchTask* TaskThatFellShort(const BatchJobSpec& spec, const BatchJobStatus& status) {
  if (spec.min_available < TotalMinimum(spec)) return nullptr;
  for (const BatchTask& task : spec.tasks) {
    if (!task.min_available.has_value()) continue;
    const types::TaskPodCounts* counts = status.task_status_count.Find(task.name);
    if (counts == nullptr) continue;
    const int32_t* succeeded = counts->phase.Find("Succeeded");
    if ((succeeded == nullptr ? 0 : *succeeded) < *task.min_available) return &task;
  }
  return nullptr;
}

int32_t RetriesMax(const BatchJobSpec& spec) {
  return spec.max_retry.value_or(kJobRetries);
}

bool IsLastRetry(const BatchJobSpec& spec, const BatchJobStatus& status) {
  return status.retry_count >= int64_t{RetriesMax(spec)} - 1;
}

JobStep StepFor(JobPhase phase, BusAction action) {
  const bool resume = action == BusAction::kResumeJob;
  switch (phase) {
    case JobPhase::kRunning:
      return ActiveStep(action, Decision::kProgress);
    case JobPhase::kRestarting:
      return RestartingStep(action);
    case JobPhase::kCompleting:
      return Stop(Decision::kStop, JobPhase::kCompleted);
    case JobPhase::kTerminating:
      return Stop(Decision::kStop, JobPhase::kTerminated);
    case JobPhase::kAborting:
      return resume ? Again(Operation::kKillJob, true) : Stop(Decision::kStop, JobPhase::kAborted);
    case JobPhase::kAborted:
      return resume ? Again(Operation::kKillJob, true) : Stop(Decision::kNone, JobPhase::kNone);
    case JobPhase::kCompleted:
    case JobPhase::kTerminated:
    case JobPhase::kFailed:
      return Stop(Decision::kNone, JobPhase::kNone);
    case JobPhase::kNone:
    case JobPhase::kPending:
    case JobPhase::kOther:
      break;
  }
  return ActiveStep(action, Decision::kStart);
}

bool Decide(const JobStep& step, const BatchJobSpec& spec, BatchJobStatus* status) {
  if (step.is_retry && status->retry_count < std::numeric_limits<int32_t>::max()) {
    ++status->retry_count;
  }
  switch (step.decision) {
    case Decision::kNone:
      return false;
    case Decision::kStart:
      if (int64_t{status->running} + status->succeeded + status->failed < spec.min_available) {
        return false;
      }
      return Enter(JobPhase::kRunning, status);
    case Decision::kProgress:
      return EnterByCounts(spec, status);
    case Decision::kRestart:
      return Restart(spec, status);
    case Decision::kStop:
      if (status->terminating > 0 || status->pending > 0 || status->running > 0) return false;
      return Enter(step.phase, status);
    case Decision::kEnter:
      return Enter(step.phase, status);
  }
  return false;
}

}  // namespace bth::controllers
