// Which node groups a queue may use, and how much of each.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/model/resource_vec.h"

namespace bth::model {

// spec.affinity of a queue and its annotation volcano.sh/nodegroup-resource-limits. Groups are
// values of the node label volcano.sh/nodegroup-name.
struct NodeGroupRules {
  bool has_affinity = false;  // Even when every list is empty.
  std::vector<std::string> required;
  std::vector<std::string> preferred;
  std::vector<std::string> anti_required;
  std::vector<std::string> anti_preferred;
  bool limits_invalid = false;                              // The annotation cannot be read.
  std::vector<std::pair<std::string, ResourceSet>> limits;  // By group.

  bool lists_nothing() const {
    return required.empty() && preferred.empty() && anti_required.empty() && anti_preferred.empty();
  }
  friend bool operator==(const NodeGroupRules&, const NodeGroupRules&) = default;
};

}  // namespace bth::model
