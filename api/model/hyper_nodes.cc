#include "api/model/hyper_nodes.h"

#include <algorithm>

namespace bth::model {

HyperNodeId HyperNodeTree::Find(std::string_view name) const {
  for (size_t i = 0; i < rows.size(); ++i) {
    const HyperNodeId id = HyperNodeId::FromIndex(i);
    if (rows[id].name == name) return id;
  }
  return {};
}

const int32_t* HyperNodeTree::TierNamed(std::string_view name) const {
  const auto at = std::lower_bound(
      tier_names.begin(), tier_names.end(), name,
      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return at != tier_names.end() && at->first == name ? &at->second : nullptr;
}

bool HyperNodeTree::Contains(HyperNodeId id, NodeId node) const {
  const absl::Span<const HyperNodeId> of = Of(node);
  return std::find(of.begin(), of.end(), id) != of.end();
}

// What something is in has the higher number: of two that differ, the lower one is not above the
// other.
HyperNodeId HyperNodeTree::LowestCommon(HyperNodeId a, HyperNodeId b) const {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  while (a != b) {
    HyperNodeId& lower = a < b ? a : b;
    lower = rows[lower].parent;
  }
  return a;
}

}  // namespace bth::model
