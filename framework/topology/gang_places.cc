#include "framework/topology/gang_places.h"

namespace bth::framework {

using model::HyperNodeId;
using model::HyperNodeTree;
using model::NodeId;

void GangPlaces::Move(const HyperNodeTree& tree, NodeId node, int32_t sign) {
  const auto of = tree.Of(node);
  if (of.empty()) return;
  tasks_ += sign;
  const auto count = [sign](auto& counts, auto key) {
    const auto [at, fresh] = counts.try_emplace(key, 0);
    at->second += sign;
    if (at->second == 0) counts.erase(at);
  };
  count(by_node_, node);
  for (HyperNodeId id : of) count(by_hyper_node_, id);
}

// Whichever of their nodes is asked, those that hold all tasks come in the same order.
HyperNodeId GangPlaces::Allocated(const HyperNodeTree& tree) const {
  if (by_node_.empty()) return {};
  for (HyperNodeId id : tree.Of(by_node_.begin()->first)) {
    if (In(id) == tasks_) return id;
  }
  return {};
}

std::vector<HyperNodeId> GangPlaces::HighestUpTo(const HyperNodeTree& tree, int32_t tier) const {
  std::vector<HyperNodeId> highest;
  if (by_node_.empty()) return highest;
  for (HyperNodeId id : tree.Of(by_node_.begin()->first)) {
    const HyperNodeId parent = tree[id].parent;
    if (tree.tier(id) > tier || In(id) != tasks_) continue;
    if (!parent.valid() || tree.tier(parent) > tier) highest.push_back(id);
  }
  return highest;
}

int32_t GangPlaces::In(HyperNodeId id) const {
  const auto known = by_hyper_node_.find(id);
  return known == by_hyper_node_.end() ? 0 : known->second;
}

}  // namespace bth::framework
