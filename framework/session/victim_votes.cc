#include "framework/session/victim_votes.h"

#include <algorithm>

namespace bth::framework {
namespace {

using model::JobId;
using model::QueueId;
using model::TaskId;

// Calls `body` with the hooks that are asked, and whom they are asked for.
template <typename Body>
auto WithVoters(const Session& session, const VictimAsker& asker, const Body& body) {
  using Kind = EvictionContext::Kind;
  const HookTable& hooks = session.hooks();
  switch (asker.kind) {
    case VictimKind::kPreempt:
      return body(hooks.preemptable, asker.task);
    case VictimKind::kReclaim:
      return body(hooks.reclaimable, asker.task);
    case VictimKind::kGangPreempt:
    case VictimKind::kGangReclaim:
      break;
  }
  const Kind kind =
      asker.kind == VictimKind::kGangReclaim ? Kind::kGangReclaim : Kind::kGangPreempt;
  return body(hooks.unified_evictable, EvictionContext{.kind = kind, .job = asker.job});
}

}  // namespace

bool IsStarving(const Session& session, JobId job) {
  return session.hooks().job_starving(job);
}

std::string_view ForbidsDemand(const Session& session, QueueId queue,
                               absl::Span<const TaskId> tasks) {
  for (const auto& entry : session.hooks().preemptive) {
    if (!entry.fn(queue, tasks)) return entry.origin.plugin;
  }
  return "";
}

int RankJobs(const Session& session, JobId left, JobId right) {
  return session.hooks().job_order(left, right);
}

int RankVictimQueues(const Session& session, QueueId left, QueueId right, QueueId preemptor) {
  return session.hooks().victim_queue_order(left, right, preemptor);
}

VictimChoice GrantedVictims(const Session& session, const VictimAsker& asker,
                            absl::Span<const TaskId> candidates) {
  const bool strict = session.context().policy->victim_veto == conf::VictimVeto::kStrict;
  return WithVoters(session, asker, [&](const auto& hooks, const auto& evictor) {
    return hooks(evictor, candidates, strict);
  });
}

void AskEachVoter(const Session& session, const VictimAsker& asker,
                  absl::Span<const TaskId> candidates,
                  absl::FunctionRef<void(std::string_view plugin, const Verdict&)> hear) {
  WithVoters(session, asker, [&](const auto& hooks, const auto& evictor) {
    for (const auto& entry : hooks) hear(entry.origin.plugin, entry.fn(evictor, candidates));
  });
}

bool WeighsJobs(const Session& session, VictimKind kind) {
  return WithVoters(session, {.kind = kind}, [](const auto& hooks, const auto&) {
    return std::any_of(hooks.begin(), hooks.end(),
                       [](const auto& entry) { return entry.fn.bounds.weighs_jobs; });
  });
}

bool AnyNamesVictims(const Session& session) {
  return !session.hooks().victim_tasks.empty();
}

std::vector<TaskId> NamedVictims(const Session& session, absl::Span<const TaskId> running) {
  return session.hooks().victim_filter(session.hooks().victim_tasks(running));
}

}  // namespace bth::framework
