#include "actions/gangpreempt.h"

#include "actions/eviction/starving_jobs.h"
#include "actions/gang_eviction/search.h"
#include "actions/queue_jobs.h"
#include "base/status.h"

namespace bth::actions {

using framework::EvictionContext;
using model::JobId;

absl::StatusOr<std::unique_ptr<framework::Action>> GangPreempt::Create(
    const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const gang_eviction::Options options, gang_eviction::ParseOptions(args));
  return std::make_unique<GangPreempt>(options);
}

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

}  // namespace bth::actions
