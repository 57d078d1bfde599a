#include "actions/eviction/known_failures.h"

#include <utility>

#include "framework/nodes/global_scan.h"
#include "framework/session/victim_votes.h"

namespace bth::actions::eviction {

using framework::Session;
using model::JobId;

namespace {

// Pipelined tasks count: whoever follows placements counts them.
bool HoldsNothing(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  return counts.waiting() == 0 && counts.allocated == model::ResourceVec();
}

// Who has no fewer is spared no sooner when others demand their room back.
int32_t PodsToSpare(const Session& session, JobId job) {
  return session.counts(job).ready() - session.job(job).min_available;
}

}  // namespace

KnownFailures::Key KnownFailures::KeyOf(const Session& session, const Ask& ask) {
  const model::TaskRow& task = session.task(ask.task);
  const model::JobRow& job = session.job(task.job);
  return {.reach = ask.reach,
          .task_preemptable = task.preemptable,
          .job_preemptable = job.preemptable,
          .task_priority = task.priority,
          .job_priority = job.priority,
          .queue = job.queue,
          .own = ask.reach == Reach::kOwnJob ? task.job : model::JobId(),
          .constraints = session.shape(task.shape).constraints};
}

bool KnownFailures::WeighsJobs(const Session& session, Reach reach) const {
  // A search without questions asks no hook.
  if (whom_ == SpeakFor::kEqual) return false;
  return framework::WeighsJobs(session, reach == Reach::kOtherQueues
                                            ? framework::VictimKind::kReclaim
                                            : framework::VictimKind::kPreempt);
}

const Tally* KnownFailures::Find(const Session& session, const Ask& ask) const {
  // Filters that look at other pods may tell tasks of one shape and queue apart.
  if (framework::GlobalFiltersConcern(session, ask.task, framework::GlobalHooks::kByTask))
    return nullptr;
  const auto known = failures_.find(KeyOf(session, ask));
  if (known == failures_.end()) return nullptr;
  const bool weighs_jobs = WeighsJobs(session, ask.reach);
  const model::TaskRow& task = session.task(ask.task);
  for (const Failure& failure : known->second) {
    if (failure.version != session.placements().version()) continue;
    if (!SpeaksForJob(session, failure, task.job, weighs_jobs)) continue;
    if (weighs_jobs ? failure.shape == task.shape
                    : Covers(failure, task.shape, session.request(ask.task))) {
      return &failure.tally;
    }
  }
  return nullptr;
}

bool KnownFailures::SpeaksForJob(const Session& session, const Failure& failure, JobId job,
                                 bool weighs_jobs) {
  if (job == failure.job) return true;
  if (!failure.held_nothing) return false;
  if (weighs_jobs && (!HoldsNothing(session, job) ||
                      session.counts(job).request != session.counts(failure.job).request)) {
    return false;
  }
  return failure.tally.rivals.empty() ||
         PodsToSpare(session, job) >= PodsToSpare(session, failure.job);
}

void KnownFailures::Add(const Session& session, const Ask& ask, Tally tally) {
  if (framework::GlobalFiltersConcern(session, ask.task, framework::GlobalHooks::kByTask)) return;
  if (failures_.size() >= kKeysMax) failures_.clear();
  std::vector<Failure>& failures = failures_[KeyOf(session, ask)];
  const JobId job = session.task(ask.task).job;
  Failure fresh{.version = session.placements().version(),
                .job = job,
                .held_nothing = HoldsNothing(session, job),
                .shape = session.task(ask.task).shape,
                .request = session.request(ask.task),
                .tally = std::move(tally)};
  // Of those that stay, none speaks for the fresh one's task; where jobs are weighed, the fresh one
  // speaks for none of theirs.
  const bool weighs_jobs = WeighsJobs(session, ask.reach);
  std::erase_if(failures, [&](const Failure& failure) {
    return failure.version != fresh.version ||
           (!weighs_jobs && Covers(fresh, failure.shape, failure.request));
  });
  if (failures.size() >= kFailuresMax) failures.erase(failures.begin());
  failures.push_back(std::move(fresh));
}

}  // namespace bth::actions::eviction
