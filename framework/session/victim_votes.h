// What plugins say of evictions, for the actions that evict.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "api/model/ids.h"
#include "framework/hooks/hook_lists.h"
#include "framework/session/session.h"

namespace bth::framework {

// Some plugin says so of the job, and none that is asked denies it.
bool IsStarving(const Session& session, model::JobId job);
// The plugin by which the queue may not demand room for these tasks, all at once, from others;
// empty: it may.
std::string_view ForbidsDemand(const Session& session, model::QueueId queue,
                               absl::Span<const model::TaskId> tasks);

// What plugins alone say; 0: nothing.
int RankJobs(const Session& session, model::JobId left, model::JobId right);
// Negative: victims come from the left queue first.
int RankVictimQueues(const Session& session, model::QueueId left, model::QueueId right,
                     model::QueueId preemptor);

// Who asks for victims: a task, in its queue or of others, or a job, for gang actions.
struct VictimAsker {
  VictimKind kind = VictimKind::kPreempt;
  model::TaskId task;  // For kPreempt and kReclaim,
  model::JobId job;    // and for the others.
};
// Whom the plugins grant together, by the policy's rule for empty answers.
VictimChoice GrantedVictims(const Session& session, const VictimAsker& asker,
                            absl::Span<const model::TaskId> candidates);
// What each plugin that has a say would grant alone, in the order of tiers.
void AskEachVoter(const Session& session, const VictimAsker& asker,
                  absl::Span<const model::TaskId> candidates,
                  absl::FunctionRef<void(std::string_view plugin, const Verdict&)> hear);

// What one task is granted says nothing of another's whose job asks for more or less in all.
bool WeighsJobs(const Session& session, VictimKind kind);

// Some plugin may name tasks that should be somewhere else.
bool AnyNamesVictims(const Session& session);
// Whom the plugins of the first tier with an answer name of those that run, in their order, less
// those that are held back.
std::vector<model::TaskId> NamedVictims(const Session& session,
                                        absl::Span<const model::TaskId> running);

}  // namespace bth::framework
