#include "actions/gang_eviction/domains.h"

#include <algorithm>

namespace bth::actions::gang_eviction {

std::vector<std::string> DomainsOf(const std::vector<std::vector<std::string>>& gradients,
                                   size_t most, bool bound_to_topology) {
  std::vector<std::string> domains;
  for (const std::vector<std::string>& row : gradients) {
    for (const std::string& name : row) {
      if (domains.size() >= most) return domains;
      if (std::find(domains.begin(), domains.end(), name) == domains.end()) {
        domains.push_back(name);
      }
    }
  }
  if (domains.empty() && !bound_to_topology) domains.emplace_back(kWholeCluster);
  return domains;
}

}  // namespace bth::actions::gang_eviction
