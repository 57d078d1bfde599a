#include "actions/eviction/starving_jobs.h"

#include "framework/session/victim_votes.h"

namespace bth::actions::eviction {

using framework::Session;
using model::JobId;
using model::TaskId;

bool IsCandidate(const Session& session, JobId job) {
  return !session.IsPendingPhase(job) && framework::IsStarving(session, job) &&
         session.votes().ValidateJob(job).valid;
}

TaskHeap PendingTasks(const Session& session, JobId job) {
  TaskHeap tasks(TaskOrder(session, job));
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != model::TaskStatus::kPending) continue;
    if (!session.task(task).gated) tasks.Push(task);
  }
  return tasks;
}

}  // namespace bth::actions::eviction
