#include "actions/enqueue.h"

#include "actions/queue_jobs.h"
#include "framework/report.h"

namespace bth::actions {

using framework::Gate;
using framework::Session;
using model::JobId;

absl::StatusOr<std::unique_ptr<framework::Action>> Enqueue::Create(const conf::Arguments&) {
  return std::make_unique<Enqueue>();
}

absl::Status Enqueue::Execute(Session& session) {
  QueueJobs queues(session);
  for (JobId job : session.active_jobs()) {
    if (!session.IsPendingPhase(job)) continue;
    if (framework::GangStands(session.base(), session.usage(), job)) {
      // Admitted before; whoever did it did not get to say so.
      session.SetPhase(job, model::PodGroupPhase::kInqueue);
    } else {
      queues.Add(job);
    }
  }
  while (!queues.empty()) {
    const model::QueueId queue = queues.PopQueue();
    QueueJobs::JobHeap& jobs = queues.JobsOf(queue);
    if (jobs.empty()) continue;
    const JobId job = jobs.Pop();
    if (!session.job(job).has_min_resources || session.JobEnqueueable(job)) {
      session.JobEnqueued(job);
      session.SetPhase(job, model::PodGroupPhase::kInqueue);
    } else {
      session.HoldAt(job, Gate::kNotEnqueued, "", "pod group is not admitted to its queue yet");
      if (session.queue(queue).KeepsStrictOrder()) {
        for (JobId later : jobs.items()) {
          session.HoldAt(later, Gate::kNotEnqueued, "", TurnText(session, job));
        }
        continue;
      }
    }
    queues.PushQueue(queue);
  }
  return absl::OkStatus();
}

}  // namespace bth::actions
