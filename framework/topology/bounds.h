// How high in the tree of HyperNodes a job or sub-job may reach.
#pragma once

#include <cstdint>
#include <optional>

#include "api/model/hyper_nodes.h"
#include "api/model/job.h"

namespace bth::framework {

// Nothing: it asks for nothing, or for a tier whose name nobody knows. What is soft may reach up to
// the root: lower tiers are tried first, and none is a reason to fail.
inline std::optional<int32_t> TierBound(const model::HyperNodeTree& tree,
                                        const model::TopologyWish& wish) {
  using Mode = model::TopologyWish::Mode;
  if (wish.mode == Mode::kNone) return std::nullopt;
  if (wish.mode == Mode::kSoft) return tree.tier(tree.root());
  if (wish.highest_tier) return wish.highest_tier;
  const int32_t* named = tree.TierNamed(wish.highest_tier_name);
  return named == nullptr ? std::nullopt : std::optional<int32_t>(*named);
}

// Of a sub-job; one that is soft may reach as far as its job.
inline std::optional<int32_t> TierBound(const model::HyperNodeTree& tree,
                                        const model::TopologyWish& job,
                                        const model::TopologyWish& sub_job) {
  if (sub_job.mode != model::TopologyWish::Mode::kSoft) return TierBound(tree, sub_job);
  const std::optional<int32_t> of_job = TierBound(tree, job);
  return of_job ? of_job : tree.tier(tree.root());
}

}  // namespace bth::framework
