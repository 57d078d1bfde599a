// Makes a tree of HyperNodes of what their objects say, leaving out what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "api/model/hyper_nodes.h"

namespace bth::algo {

// Nodes in HyperNodes, each counted in all that it is in. Whoever has its turn when there are so
// many is left without nodes.
inline constexpr size_t kHyperNodeMembershipsMax = size_t{1} << 23;

inline constexpr int32_t kHyperNodeTierMax = 1'000'000;

struct HyperNodeInput {
  std::string_view name;
  int32_t tier = 0;                            // From 0 to kHyperNodeTierMax.
  std::string_view tier_name;                  // Empty: none.
  absl::Span<const std::string> members;       // HyperNodes by name.
  absl::Span<const model::NodeId> nodes = {};  // Ready ones, in any order.
};

// What of a HyperNode does not count, and why.
struct HyperNodeFault {
  std::string name;
  std::string message;
  friend bool operator==(const HyperNodeFault&, const HyperNodeFault&) = default;
};

struct BuiltHyperNodes {
  std::shared_ptr<const model::HyperNodeTree> tree;
  std::vector<HyperNodeFault> faults;  // By name.
  size_t cut_off = 0;                  // HyperNodes beyond kHyperNodeMembershipsMax.
};

// `inputs` by name, each once; `ready` are all nodes that a cycle places on. The result follows
// from the inputs alone:
//  - a member must exist and have a lower tier, so that there are no circles;
//  - of several that name the same member, the one of the lowest tier has it, the first by name
//    among equals;
//  - of several tiers that have one name, the lowest has it.
// Cost: all memberships, times the logarithm of the largest.
BuiltHyperNodes BuildHyperNodes(absl::Span<const HyperNodeInput> inputs,
                                absl::Span<const model::NodeId> ready);

}  // namespace bth::algo
