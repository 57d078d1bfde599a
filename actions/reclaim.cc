#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "actions/eviction/protection.h"
#include "actions/eviction/search.h"
#include "actions/eviction/starving_jobs.h"
#include "actions/eviction/turns.h"
#include "actions/factories.h"
#include "actions/ignored_arguments.h"
#include "actions/queue_jobs.h"
#include "base/status.h"

namespace bth::actions {
namespace {

using eviction::Reach;
using framework::Session;
using model::JobId;
using model::QueueId;
using model::TaskId;

constexpr std::string_view kReclaim = "reclaim";

// One run of the action.
class ReclaimRun {
 public:
  ReclaimRun(Session& session, eviction::Turns& turns)
      : session_(session), turns_(turns), queues_(session), search_(session, kReclaim, turns) {}

  void Execute() {
    for (JobId job : session_.active_jobs()) {
      if (eviction::IsCandidate(session_, job)) queues_.Add(job);
    }
    turns_.Run(session_, queues_, std::bind_front(&ReclaimRun::Walk, this));
  }

 private:
  // All jobs but those that `passes_over`.
  void Walk(QueueJobs& queues, eviction::Turns::PassesOver passes_over) {
    while (!queues.empty()) {
      const QueueId queue = queues.PopQueue();
      if (session_.votes().Overused(queue)) continue;
      QueueJobs::JobHeap& jobs = queues.JobsOf(queue);
      while (!jobs.empty()) {
        const JobId job = jobs.Pop();
        if (passes_over(job)) continue;
        // What the queue would use stays within what it may demand from others.
        const auto why_not = [this, queue](TaskId task) {
          return eviction::WhyNoDemand(session_, queue, absl::Span<const TaskId>(&task, 1));
        };
        session_.WorkOn(job, [&] { search_.PlaceJob(job, Reach::kOtherQueues, why_not); });
      }
    }
  }

  Session& session_;
  eviction::Turns& turns_;
  QueueJobs queues_;
  eviction::Search search_;
};

// Thread: scheduling.
class Reclaim final : public framework::Action {
 public:
  explicit Reclaim(eviction::Turns turns) : turns_(std::move(turns)) {}
  std::string_view name() const override { return "reclaim"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
  std::optional<framework::VictimKind> victim_kind() const override {
    return framework::VictimKind::kReclaim;
  }

 private:
  eviction::Turns turns_;
};

absl::Status Reclaim::Execute(Session& session) {
  ReclaimRun(session, turns_).Execute();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> CreateReclaim(const conf::Arguments& args) {
  BTH_RETURN_IF_ERROR(NoteErrorCache(args));
  return MakeReclaim(eviction::Turns());
}

std::unique_ptr<framework::Action> MakeReclaim(eviction::Turns turns) {
  return std::make_unique<Reclaim>(std::move(turns));
}

}  // namespace bth::actions
