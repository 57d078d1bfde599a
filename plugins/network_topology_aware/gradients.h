// In which HyperNodes a gang is tried, in turn.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/hooks/hooks.h"
#include "framework/session/session.h"

namespace bth::plugins::network_topology {

// Without a bound, the HyperNode that was asked about. Else those in it up to the bound, lowest
// tiers first: of a gang that has a place already, that place and then those above or below it; of
// another one, those whose sums would hold its minimum. For evictions the highest tiers come first,
// and there are at most `evict_most`.
framework::HyperNodeGradient GradientOf(const framework::Session& session,
                                        const framework::HyperNodeQuestion& question,
                                        size_t evict_most);

// Highest tiers first; of the last row that has a place its last ones.
std::vector<std::vector<model::HyperNodeId>> ForEviction(
    std::vector<std::vector<model::HyperNodeId>> rows, size_t most);

}  // namespace bth::plugins::network_topology
