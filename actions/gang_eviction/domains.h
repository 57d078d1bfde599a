// Where a gang action looks for room: parts of the cluster that are tried one after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "api/model/ids.h"

namespace bth::actions::gang_eviction {

// The HyperNodes of `rows`, row by row, each once and at most `most`. Without any, the root, which
// is the whole cluster, unless the job must stay inside one part of it.
std::vector<model::HyperNodeId> DomainsOf(const std::vector<std::vector<model::HyperNodeId>>& rows,
                                          size_t most, model::HyperNodeId root,
                                          bool bound_to_topology);

}  // namespace bth::actions::gang_eviction
