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
class GangPreempt final : public framework::Action {
 public:
  explicit GangPreempt(const gang_eviction::Options& options) : options_(options) {}
  std::string_view name() const override { return "gangpreempt"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
  std::optional<framework::VictimKind> victim_kind() const override {
    return framework::VictimKind::kGangPreempt;
  }

 private:
  const gang_eviction::Options options_;
};

absl::Status GangPreempt::Execute(framework::Session& session) {
  QueueJobs queues(session);
  for (JobId job : session.active_jobs()) {
    if (eviction::IsCandidate(session, job)) queues.Add(job);
  }
  gang_eviction::Search search(session, name(), EvictionContext::Kind::kGangPreempt, options_);
  while (!queues.empty()) {
    QueueJobs::JobHeap& jobs = queues.JobsOf(queues.PopQueue());
    while (!jobs.empty()) {
      const JobId job = jobs.Pop();
      session.WorkOn(job, [&] { search.PlaceJob(job); });
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> CreateGangPreempt(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const gang_eviction::Options options, gang_eviction::ParseOptions(args));
  return std::make_unique<GangPreempt>(options);
}

}  // namespace bth::actions
