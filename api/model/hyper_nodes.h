// Which nodes are near to one another in the network: HyperNodes, as a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "base/ids.h"

namespace bth::model {

// Above all that have no parent; no object may have this name.
inline constexpr std::string_view kTopHyperNode = "<cluster-top-hypernode>";

struct HyperNodeRow {
  std::string name;
  int32_t tier = 0;
  HyperNodeId parent = {};                 // Invalid: it is the root.
  std::vector<HyperNodeId> children = {};  // In order of their numbers.
  // Its ready nodes, those of its members included, as runs of neighbouring numbers.
  std::vector<NodeRange> runs = {};
  size_t nodes = 0;
};

// Nodes that are in the same HyperNodes share a group.
struct NodeGroups {
  std::vector<uint32_t> of_node;  // By node; those that are not ready have any.
  uint32_t groups = 0;            // Numbered from 0 on.
};

// In order of (tier, name), the root last: members have lower numbers than what they are in.
// A node may be in several that are not above one another, where objects say so. Immutable.
class HyperNodeTree {
 public:
  IdVector<HyperNodeId, HyperNodeRow> rows;
  // Every node's HyperNodes in order of their numbers; the first is the nearest, the last the root.
  // Those of node i are [in_begin[i], in_begin[i + 1]) of `in`.
  std::vector<HyperNodeId> in;
  std::vector<uint32_t> in_begin;
  NodeGroups groups;
  std::vector<int32_t> tiers;                               // That exist, the root's included.
  std::vector<std::pair<std::string, int32_t>> tier_names;  // By name.

  const HyperNodeRow& operator[](HyperNodeId id) const { return rows[id]; }
  HyperNodeId root() const { return HyperNodeId::FromIndex(rows.size() - 1); }
  int32_t tier(HyperNodeId id) const { return rows[id].tier; }
  // Invalid: there is no such HyperNode. Cost: linear.
  HyperNodeId Find(std::string_view name) const;
  // Null: no HyperNode has it. Cost: logarithmic.
  const int32_t* TierNamed(std::string_view name) const;

  // Empty for nodes that are not ready.
  absl::Span<const HyperNodeId> Of(NodeId node) const {
    if (node.index() + 1 >= in_begin.size()) return {};
    return absl::Span<const HyperNodeId>(in).subspan(
        in_begin[node.index()], in_begin[node.index() + 1] - in_begin[node.index()]);
  }
  bool Contains(HyperNodeId id, NodeId node) const;
  // The two are allowed to be the same.
  bool IsAbove(HyperNodeId ancestor, HyperNodeId id) const {
    return LowestCommon(ancestor, id) == ancestor;
  }
  // The lowest that both are in, themselves included. An invalid one gives the other. Cost: depth.
  HyperNodeId LowestCommon(HyperNodeId a, HyperNodeId b) const;
};

}  // namespace bth::model
