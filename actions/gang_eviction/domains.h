// Where a gang action looks for room: parts of the cluster that are tried one after the other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bth::actions::gang_eviction {

// The name of the domain that is the whole cluster.
inline constexpr const char* kWholeCluster = "";

// The domains of `gradients`, row by row, each once and at most `most`. Without any, the whole
// cluster, unless the job must stay inside one part of it.
std::vector<std::string> DomainsOf(const std::vector<std::vector<std::string>>& gradients,
                                   size_t most, bool bound_to_topology);

}  // namespace bth::actions::gang_eviction
