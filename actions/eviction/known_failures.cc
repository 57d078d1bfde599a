#include "actions/eviction/known_failures.h"

#include <utility>

#include "framework/nodes/global_scan.h"

namespace bth::actions::eviction {

using framework::Session;

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

const Tally* KnownFailures::Find(const Session& session, const Ask& ask) const {
  // Filters that look at other pods may tell tasks of one shape and queue apart.
  if (framework::GlobalFiltersConcern(session, ask.task, framework::GlobalHooks::kByTask))
    return nullptr;
  const auto known = failures_.find(KeyOf(session, ask));
  if (known == failures_.end()) return nullptr;
  for (const Failure& failure : known->second) {
    if (failure.version != session.placements().version()) continue;
    if (!failure.held_nothing && failure.job != session.task(ask.task).job) continue;
    if (Covers(failure, session.task(ask.task).shape, session.request(ask.task))) {
      return &failure.tally;
    }
  }
  return nullptr;
}

void KnownFailures::Add(const Session& session, const Ask& ask, Tally tally) {
  if (framework::GlobalFiltersConcern(session, ask.task, framework::GlobalHooks::kByTask)) return;
  if (failures_.size() >= kKeysMax) failures_.clear();
  std::vector<Failure>& failures = failures_[KeyOf(session, ask)];
  const model::JobId job = session.task(ask.task).job;
  Failure fresh{.version = session.placements().version(),
                .job = job,
                .held_nothing = session.counts(job).allocated == model::ResourceVec(),
                .shape = session.task(ask.task).shape,
                .request = session.request(ask.task),
                .tally = std::move(tally)};
  std::erase_if(failures, [&](const Failure& failure) {
    return failure.version != fresh.version || Covers(fresh, failure.shape, failure.request);
  });
  if (failures.size() >= kFailuresMax) failures.erase(failures.begin());
  failures.push_back(std::move(fresh));
}

}  // namespace bth::actions::eviction
