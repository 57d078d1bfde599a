#include <memory>

#include "actions/factories.h"
#include "actions/queue_jobs.h"
#include "algo/gang_rules.h"
#include "framework/report/figures.h"

namespace bth::actions {

using framework::Gate;
using framework::Session;
using model::JobId;

namespace {

// It is shown on the PodGroup as well, which may have no pods whose conditions could tell it.
void Hold(Session& session, JobId job, const std::string& why) {
  session.notes().HoldAt(job, Gate::kNotEnqueued, "", why);
  if (session.counts(job).count(model::TaskStatus::kRunning) > 0) return;
  session.notes().SetCondition(job, {.type = "Unschedulable",
                                     .status = "True",
                                     .reason = std::string(framework::kNotEnqueuedReason),
                                     .message = session.notes().HoldOf(job)->message});
}

// Thread: scheduling.
class Enqueue final : public framework::Action {
 public:
  std::string_view name() const override { return "enqueue"; }
  absl::Status Execute(framework::Session& session) override;
};

absl::Status Enqueue::Execute(Session& session) {
  QueueJobs queues(session);
  for (JobId job : session.active_jobs()) {
    if (!session.IsPendingPhase(job)) continue;
    if (algo::GangStands({session.base(), session.usage(), job})) {
      // Admitted before; whoever did it did not get to say so.
      session.placements().SetPhase(job, model::PodGroupPhase::kInqueue);
    } else {
      queues.Add(job);
    }
  }
  while (!queues.empty()) {
    const model::QueueId queue = queues.PopQueue();
    QueueJobs::JobHeap& jobs = queues.JobsOf(queue);
    if (jobs.empty()) continue;
    const JobId job = jobs.Pop();
    if (!session.job(job).has_min_resources || session.votes().JobEnqueueable(job)) {
      session.votes().JobEnqueued(job);
      session.placements().SetPhase(job, model::PodGroupPhase::kInqueue);
    } else {
      Hold(session, job, "pod group is not admitted to its queue yet");
      if (session.queue(queue).KeepsStrictOrder()) {
        const std::string turn = TurnText(session, job);
        for (JobId later : jobs.items()) Hold(session, later, turn);
        continue;
      }
    }
    queues.PushQueue(queue);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> CreateEnqueue(const conf::Arguments&) {
  return std::make_unique<Enqueue>();
}

}  // namespace bth::actions
