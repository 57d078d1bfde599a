// Why a search for victims failed.
#pragma once

#include <string>

#include "absl/types/span.h"
#include "actions/eviction/candidates.h"
#include "actions/eviction/tally.h"
#include "framework/prospects/victim_prospects.h"
#include "framework/report/fit_report.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// Asks each plugin alone about the candidates of one node, whose eviction was not enough.
void CountProtected(const framework::Session& session, const Ask& ask,
                    absl::Span<const model::TaskId> asked, Tally* tally);

// What a search that failed says, in words. `action` and `task` are set.
framework::VictimSearch Rendered(const framework::Session& session, std::string_view action,
                                 const Ask& ask, const Tally& tally);

// False: whatever node is looked at, nobody is granted for `ask` as things stand.
bool MayBeGranted(const framework::Session& session, const Ask& ask);
// When nobody is granted: who protects how many of all that the seeker's action could ask about.
void CountAllProtected(const framework::Protection& protection, framework::VictimSearch* counts);
framework::VictimSeeker SeekerOf(const framework::Session& session, const Ask& ask);

// Why the queue may not demand room for these tasks, all at once, from others; empty: it may.
std::string WhyNoDemand(const framework::Session& session, model::QueueId queue,
                        absl::Span<const model::TaskId> tasks);

}  // namespace bth::actions::eviction
