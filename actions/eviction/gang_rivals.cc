#include "actions/eviction/gang_rivals.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "framework/session/victim_votes.h"

namespace bth::actions::eviction {

using framework::EvictionContext;
using framework::Session;
using framework::VictimKind;
using model::JobId;
using model::QueueId;
using model::TaskId;

bool GangCouldStrikeBack(const Session& session, EvictionContext::Kind kind,
                         absl::Span<const TaskId> winners, absl::Span<const TaskId> victims,
                         int tier) {
  const bool preempts = kind == EvictionContext::Kind::kGangPreempt;
  if (!session.HasAction(preempts ? "gangpreempt" : "gangreclaim")) return false;
  const JobId job = session.task(victims.front()).job;
  const JobId winner = session.task(winners.front()).job;
  if (!framework::IsStarving(session, job) || session.job(winner).opts_out) return false;
  if (preempts) {
    if (session.job(winner).priority >= session.job(job).priority) return false;
  } else {
    const QueueId queue = session.job(job).queue;
    if (!session.queue(session.job(winner).queue).reclaimable || session.votes().Overused(queue)) {
      return false;
    }
    if (!framework::ForbidsDemand(session, queue, victims).empty()) return false;
  }
  std::vector<TaskId> candidates;
  std::copy_if(winners.begin(), winners.end(), std::back_inserter(candidates),
               [&session](TaskId task) { return session.task(task).preemptable; });
  const auto choice = framework::GrantedVictims(
      session, {.kind = preempts ? VictimKind::kGangPreempt : VictimKind::kGangReclaim, .job = job},
      candidates);
  return !choice.victims.empty() && choice.tier <= tier;
}

}  // namespace bth::actions::eviction
