// HyperNodes as those who judge need them: which nodes are near to one another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/world/ledger.h"

namespace bth::sim {

// The tier that a gang may not go beyond; nothing: it may.
std::optional<int32_t> BoundOf(const types::PodGroup& group);

// Of HyperNodes that name their members, as stories do. The cluster as a whole is a domain, too,
// one tier above all others.
class Domains final {
 public:
  using Nodes = std::set<std::string>;
  Domains() = default;
  explicit Domains(const Objects<types::HyperNode>& objects);

  // Whether one domain of that tier or a lower one has all of them.
  bool Hold(const Nodes& nodes, int32_t tier) const;
  // Whether that tier is so high that it bounds nobody.
  bool IsAll(int32_t tier) const { return tier > top_; }
  // The domains up to that tier; not the cluster as a whole.
  std::vector<const Nodes*> UpTo(int32_t tier) const;

 private:
  struct Domain {
    int32_t tier = 0;
    Nodes nodes;
  };
  std::vector<Domain> domains_;
  int32_t top_ = 0;  // The highest tier.
};

}  // namespace bth::sim
