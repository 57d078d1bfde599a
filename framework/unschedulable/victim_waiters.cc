#include "framework/unschedulable/victim_waiters.h"

#include <algorithm>
#include <limits>

#include "framework/prospects/victim_prospects.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::TaskId;

// Of tasks of the job that wait.
int32_t HighestWaiting(const Session& session, JobId job) {
  int32_t highest = std::numeric_limits<int32_t>::min();
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != model::TaskStatus::kPending) continue;
    highest = std::max(highest, session.task(task).priority);
  }
  return highest;
}

}  // namespace

void VictimWaiters::Add(Session& session, JobId job, bool restless) {
  if (restless) restless_.insert(job);
  if (session.prospects().Holds(session, job)) {
    holders_.insert(job);
  } else if (session.job(job).queue.valid()) {
    const Rank rank = RankOf(session, job);
    rank_of_.insert_or_assign(job, rank);
    ++ranks_[rank];
  }
}

void VictimWaiters::Remove(JobId job) {
  restless_.erase(job);
  holders_.erase(job);
  const auto known = rank_of_.find(job);
  if (known == rank_of_.end()) return;
  const auto at = ranks_.find(known->second);
  if (--at->second == 0) ranks_.erase(at);
  rank_of_.erase(known);
}

void VictimWaiters::Clear() {
  ranks_.clear();
  rank_of_.clear();
  holders_.clear();
  restless_.clear();
}

bool VictimWaiters::AnyVictim(Session& session, const std::vector<JobId>& active,
                              bool when_more_is_placed) const {
  if (rules_.evicts_anybody) return true;
  VictimProspects& prospects = session.prospects();
  absl::flat_hash_set<Rank> ranks;
  for (const auto& [rank, jobs] : ranks_) ranks.insert(rank);
  std::vector<JobId> holders(holders_.begin(), holders_.end());
  VictimProspects::Growth growth;
  const auto may_grow = [&](JobId job) {
    growth.queues[session.job(job).queue] += session.counts(job).pending;
    if (prospects.Holds(session, job)) growth.jobs.push_back(job);
  };
  for (JobId job : restless_) may_grow(job);
  for (JobId job : active) {
    if (session.counts(job).count(model::TaskStatus::kPending) == 0) continue;
    may_grow(job);
    if (prospects.Holds(session, job)) {
      holders.push_back(job);
    } else {
      ranks.insert(RankOf(session, job));
    }
  }
  if (when_more_is_placed) prospects.Expect(std::move(growth));
  const bool any =
      std::any_of(ranks.begin(), ranks.end(),
                  [&](const Rank& rank) { return AnyVictimFor(session, rank, JobId()); }) ||
      std::any_of(holders.begin(), holders.end(),
                  [&](JobId job) { return AnyVictimFor(session, RankOf(session, job), job); });
  prospects.Expect({});
  return any;
}

bool VictimWaiters::AnyVictimFor(Session& session, const Rank& rank, JobId holder) const {
  VictimProspects& prospects = session.prospects();
  const auto any = [&](VictimKind kind) {
    if (IsReclaim(kind) && session.votes().Overused(rank.first)) return false;
    const VictimSeeker seeker{
        .kind = kind, .queue = rank.first, .priority = rank.second, .job = holder};
    return prospects.Any(session, seeker) ||
           (kind == VictimKind::kPreempt && holder.valid() &&
            prospects.AnyOfOwn(session, holder, HighestWaiting(session, holder)));
  };
  return std::any_of(rules_.victim_kinds.begin(), rules_.victim_kinds.end(), any);
}

}  // namespace bth::framework
