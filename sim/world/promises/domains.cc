#include "sim/world/promises/domains.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace bth::sim {
namespace {

void AddNodesOf(const types::HyperNode& from, const Objects<types::HyperNode>& objects,
                Domains::Nodes* nodes) {
  for (const types::HyperNodeMember& member : from.members) {
    if (member.type == "Node") {
      nodes->insert(member.exact_name);
      continue;
    }
    // Tiers fall with each step: there are no circles.
    const types::HyperNode* const below = Ledger::Find(objects, member.exact_name);
    if (below != nullptr && below->tier < from.tier) AddNodesOf(*below, objects, nodes);
  }
}

}  // namespace

std::optional<int32_t> BoundOf(const types::PodGroup& group) {
  const auto& topology = group.spec.network_topology;
  if (!topology.has_value() || topology->mode == "soft") return std::nullopt;
  if (!topology->highest_tier_allowed.has_value()) return std::nullopt;
  constexpr int64_t kTierMax = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::min(*topology->highest_tier_allowed, kTierMax));
}

Domains::Domains(const Objects<types::HyperNode>& objects) {
  for (const auto& [name, object] : objects) {
    Domain domain{.tier = object->tier, .nodes = {}};
    AddNodesOf(*object, objects, &domain.nodes);
    top_ = std::max(top_, domain.tier);
    domains_.push_back(std::move(domain));
  }
}

std::vector<const Domains::Nodes*> Domains::UpTo(int32_t tier) const {
  std::vector<const Nodes*> out;
  for (const Domain& domain : domains_) {
    if (domain.tier <= tier) out.push_back(&domain.nodes);
  }
  return out;
}

bool Domains::Hold(const Nodes& nodes, int32_t tier) const {
  if (IsAll(tier)) return true;
  const auto within = UpTo(tier);
  return std::any_of(within.begin(), within.end(), [&](const Nodes* domain) {
    return std::includes(domain->begin(), domain->end(), nodes.begin(), nodes.end());
  });
}

}  // namespace bth::sim
