// Strategy lowNodeUtilization: which pods should leave busy nodes so that idle ones get work.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/session/session.h"

namespace bth::plugins::rescheduling {

// Percent of a node.
struct Share {
  int64_t cpu = 100;
  int64_t memory = 100;
};

struct LowNodeUtilization {
  Share thresholds;         // A node below both has room to offer.
  Share target_thresholds;  // A node above one gives pods away until it is below both.
};

// Victims among `tasks`, all of them running; busiest node first. Nodes whose load was measured
// before `trusted_since_us`, or never, neither give nor take. Victims go no further than the room
// that idle nodes have below the target. Pure function of the session's snapshot; cost: nodes, and
// tasks on busy ones, each sorted.
std::vector<model::TaskId> ChooseVictims(const LowNodeUtilization& strategy,
                                         const framework::Session& session,
                                         absl::Span<const model::TaskId> tasks,
                                         int64_t trusted_since_us);

}  // namespace bth::plugins::rescheduling
