// What makes the compiled-in actions from their arguments; docs/actions tells more of each.
#pragma once

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "actions/eviction/search.h"
#include "actions/eviction/turns.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

// Places pending tasks: a gang gets its whole minimum in this cycle, or nothing.
absl::StatusOr<std::unique_ptr<framework::Action>> CreateAllocate(const conf::Arguments& args);
// Places tasks that ask for nothing but a place (best effort) wherever the filters allow.
absl::StatusOr<std::unique_ptr<framework::Action>> CreateBackfill(const conf::Arguments& args);
// Admits PodGroups: phase Pending becomes Inqueue, so that their pods are created and considered.
absl::StatusOr<std::unique_ptr<framework::Action>> CreateEnqueue(const conf::Arguments& args);
// Inside a queue: gangs of lower priority make room for a whole starving one.
absl::StatusOr<std::unique_ptr<framework::Action>> CreateGangPreempt(const conf::Arguments& args);
// Between queues: gangs of other queues make room for a whole starving one.
absl::StatusOr<std::unique_ptr<framework::Action>> CreateGangReclaim(const conf::Arguments& args);
// Inside a queue: lower tasks make room for those of starving jobs.
absl::StatusOr<std::unique_ptr<framework::Action>> CreatePreempt(const conf::Arguments& args);
// Between queues: those beyond their share give room back to starving jobs of others.
absl::StatusOr<std::unique_ptr<framework::Action>> CreateReclaim(const conf::Arguments& args);
// Evicts running tasks that plugins want elsewhere.
absl::StatusOr<std::unique_ptr<framework::Action>> CreateShuffle(const conf::Arguments& args);

// Those that ask about victims node by node, with a limit to their questions.
std::unique_ptr<framework::Action> MakePreempt(std::optional<eviction::Comparison> comparison,
                                               eviction::Turns turns);
std::unique_ptr<framework::Action> MakeReclaim(eviction::Turns turns);

}  // namespace bth::actions
