// topology.volcano.sh/v1alpha1 HyperNode: a group of nodes, or of groups, near to one another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/meta.h"
#include "api/types/selector.h"

namespace bth::types {

// Exactly one way of selecting is set.
struct HyperNodeMember {
  std::string type;           // Node, HyperNode
  std::string exact_name;     // selector.exactMatch.name
  std::string regex_pattern;  // selector.regexMatch.pattern
  std::optional<LabelSelector> label_match;
  bool operator==(const HyperNodeMember&) const = default;
};

struct HyperNode {
  ObjectMeta meta;
  int32_t tier = 0;       // spec.tier
  std::string tier_name;  // spec.tierName
  std::vector<HyperNodeMember> members;
  std::vector<Condition> conditions;
  int64_t node_count = 0;  // status.nodeCount
  bool operator==(const HyperNode&) const = default;
};

}  // namespace bth::types
