#include <memory>
#include <optional>

#include "actions/eviction/starving_jobs.h"
#include "actions/factories.h"
#include "actions/gang_eviction/options.h"
#include "actions/gang_eviction/search.h"
#include "actions/queue_jobs.h"
#include "base/status.h"

namespace bth::actions {

using framework::EvictionContext;
using model::JobId;

namespace {

// Thread: scheduling.
class GangReclaim final : public framework::Action {
 public:
  explicit GangReclaim(const gang_eviction::Options& options) : options_(options) {}
  std::string_view name() const override { return "gangreclaim"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
  std::optional<framework::VictimKind> victim_kind() const override {
    return framework::VictimKind::kGangReclaim;
  }

 private:
  const gang_eviction::Options options_;
};

absl::Status GangReclaim::Execute(framework::Session& session) {
  QueueJobs queues(session);
  for (JobId job : session.active_jobs()) {
    if (eviction::IsCandidate(session, job)) queues.Add(job);
  }
  gang_eviction::Search search(session, name(), EvictionContext::Kind::kGangReclaim, options_);
  while (!queues.empty()) {
    const model::QueueId queue = queues.PopQueue();
    if (session.votes().Overused(queue)) continue;
    QueueJobs::JobHeap& jobs = queues.JobsOf(queue);
    while (!jobs.empty()) {
      const JobId job = jobs.Pop();
      session.WorkOn(job, [&] { search.PlaceJob(job); });
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> CreateGangReclaim(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const gang_eviction::Options options, gang_eviction::ParseOptions(args));
  return std::make_unique<GangReclaim>(options);
}

}  // namespace bth::actions
