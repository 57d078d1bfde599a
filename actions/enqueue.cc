#include <algorithm>
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

// Whoever names no minimum is admitted, unless its pods claim devices.
bool MayBeRefused(const Session& session, JobId job) {
  const model::JobRow& row = session.job(job);
  return row.has_min_resources ||
         std::any_of(row.tasks->begin(), row.tasks->end(), [&session](model::TaskId task) {
           return session.task(task).device_claims != nullptr;
         });
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
    if (!MayBeRefused(session, job) || session.votes().JobEnqueueable(job)) {
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
