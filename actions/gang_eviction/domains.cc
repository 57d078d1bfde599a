#include "actions/gang_eviction/domains.h"

#include <algorithm>

namespace bth::actions::gang_eviction {

using model::HyperNodeId;

std::vector<HyperNodeId> DomainsOf(const std::vector<std::vector<HyperNodeId>>& rows, size_t most,
                                   HyperNodeId root, bool bound_to_topology) {
  std::vector<HyperNodeId> domains;
  for (const std::vector<HyperNodeId>& row : rows) {
    for (HyperNodeId domain : row) {
      if (domains.size() >= most) return domains;
      if (std::find(domains.begin(), domains.end(), domain) == domains.end()) {
        domains.push_back(domain);
      }
    }
  }
  if (domains.empty() && !bound_to_topology) domains.push_back(root);
  return domains;
}

}  // namespace bth::actions::gang_eviction
