// HyperNodes, as far as they tell which nodes are near to one another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/hyper_node.h"
#include "cache/intake/compiled.h"

namespace re2 {
class RE2;
}

namespace bth::cache {

// What one HyperNode may say. Members beyond these do not count and are a fault, as is a pattern
// that is too long.
inline constexpr size_t kHyperNodeMembersMax = 20'000;
inline constexpr size_t kHyperNodePatternsMax = 64;  // Regular expressions and label selectors.
inline constexpr size_t kPatternBytesMax = 1024;

struct CompiledHyperNode {
  std::string name;
  std::string uid;
  int32_t tier = 0;
  std::string tier_name;
  // By name, each once.
  std::vector<std::string> nodes;
  std::vector<std::string> hyper_nodes;
  std::vector<std::string> patterns;
  std::vector<std::vector<LabelRequirement>> selectors;
  std::vector<std::string> faults;                           // Members that select nobody, and why.
  std::vector<std::shared_ptr<const re2::RE2>> expressions;  // Of the patterns.

  bool FollowsNodes() const { return !patterns.empty() || !selectors.empty(); }
  // A node of that name with these labels is one of those that patterns and selectors mean.
  bool Selects(std::string_view node, const Labels& labels) const;
};

// What is said about members, tiers and faults is the same.
bool SaysTheSame(const CompiledHyperNode& a, const CompiledHyperNode& b);

// kInvalidArgument names the field: then the HyperNode does not take part. A member that cannot be
// understood selects nobody.
absl::StatusOr<CompiledHyperNode> Compile(const types::HyperNode& object);

}  // namespace bth::cache
