// How high in the tree of HyperNodes a job or sub-job may reach.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/model/hyper_nodes.h"
#include "api/model/job.h"

namespace bth::framework {

// Below every tier: no HyperNode is low enough.
inline constexpr int32_t kNoTier = -1;

// It must stay inside a tier whose name no HyperNode has.
inline bool NamesUnknownTier(const model::HyperNodeTree& tree,
                             const model::NetworkTopologySpec& spec) {
  return spec.mode == model::NetworkTopologySpec::Mode::kHard && !spec.highest_tier &&
         !spec.highest_tier_name.empty() && tree.TierNamed(spec.highest_tier_name) == nullptr;
}

// Which one, and what helps; empty: it does not.
std::string UnknownTierText(const model::HyperNodeTree& tree,
                            const model::NetworkTopologySpec& spec);

// Nothing: it asks for nothing. What is soft may reach up to the root: lower tiers are tried first,
// and none is a reason to fail. A name that no HyperNode has is a bound that nothing keeps: it may
// have had one before, or will have.
inline std::optional<int32_t> TierBound(const model::HyperNodeTree& tree,
                                        const model::NetworkTopologySpec& spec) {
  using Mode = model::NetworkTopologySpec::Mode;
  if (spec.mode == Mode::kNone) return std::nullopt;
  if (spec.mode == Mode::kSoft) return tree.tier(tree.root());
  if (spec.highest_tier) return spec.highest_tier;
  if (spec.highest_tier_name.empty()) return std::nullopt;
  const int32_t* named = tree.TierNamed(spec.highest_tier_name);
  return named == nullptr ? kNoTier : *named;
}

// Of a sub-job; one that is soft may reach as far as its job.
inline std::optional<int32_t> TierBound(const model::HyperNodeTree& tree,
                                        const model::NetworkTopologySpec& job,
                                        const model::NetworkTopologySpec& sub_job) {
  if (sub_job.mode != model::NetworkTopologySpec::Mode::kSoft) return TierBound(tree, sub_job);
  const std::optional<int32_t> of_job = TierBound(tree, job);
  return of_job ? of_job : tree.tier(tree.root());
}

}  // namespace bth::framework
