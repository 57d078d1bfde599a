#include "actions/gang_eviction/rivals.h"

#include <algorithm>

#include "actions/eviction/candidates.h"
#include "actions/eviction/gang_rivals.h"

namespace bth::actions::gang_eviction {

using eviction::Ask;
using eviction::Reach;
using framework::EvictionContext;
using framework::Session;
using model::TaskId;

bool CouldStrikeBack(const Session& session, EvictionContext::Kind kind,
                     absl::Span<const TaskId> winners, absl::Span<const TaskId> victims, int tier) {
  const bool preempts = kind == EvictionContext::Kind::kGangPreempt;
  if (eviction::GangCouldStrikeBack(session, kind, winners, victims, tier)) return true;
  if (!session.HasAction(preempts ? "preempt" : "reclaim")) return false;
  const Reach reach = preempts ? Reach::kOtherJobs : Reach::kOtherQueues;
  // One victim speaks for its job.
  return std::any_of(winners.begin(), winners.end(), [&](TaskId winner) {
    return eviction::CouldStrikeBack(session, Ask{.task = winner, .reach = reach}, victims.front(),
                                     tier);
  });
}

}  // namespace bth::actions::gang_eviction
