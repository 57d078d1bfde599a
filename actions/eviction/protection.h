// Why a search for victims failed.
#pragma once

#include "absl/types/span.h"
#include "actions/eviction/victims.h"
#include "framework/session.h"

namespace bth::actions::eviction {

// Asks each plugin alone about the candidates of one node, whose eviction was not enough.
void CountProtected(const framework::Session& session, const Ask& ask,
                    absl::Span<const model::TaskId> asked, framework::VictimSearch* counts);

}  // namespace bth::actions::eviction
