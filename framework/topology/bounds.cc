#include "framework/topology/bounds.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace bth::framework {
namespace {

// "rack (tier 1) and spine (tier 2)": the lowest first, as many as people read.
std::string TierNamesText(const model::HyperNodeTree& tree) {
  constexpr size_t kNamesTold = 8;
  std::vector<std::pair<int32_t, std::string>> names;
  for (const auto& [name, tier] : tree.tier_names) names.emplace_back(tier, name);
  std::sort(names.begin(), names.end());
  const size_t told = std::min(names.size(), kNamesTold);
  std::string text;
  for (size_t i = 0; i < told; ++i) {
    const bool is_last = i + 1 == names.size();
    const auto& [tier, name] = names[i];
    StrAppend(&text, i == 0 ? "" : is_last ? " and " : ", ", name, " (tier ", tier, ")");
  }
  if (names.size() > told) StrAppend(&text, " and ", names.size() - told, " more");
  return text;
}

}  // namespace

std::string UnknownTierText(const model::HyperNodeTree& tree,
                            const model::NetworkTopologySpec& spec) {
  if (!NamesUnknownTier(tree, spec)) return "";
  const std::string lack = StrCat("no HyperNode has the tierName ", spec.highest_tier_name,
                                  " that highestTierName asks for");
  if (tree.tier_names.empty()) {
    return StrCat(lack,
                  ", nor any other: give HyperNodes a tierName, or ask for a tier by "
                  "highestTierAllowed");
  }
  return StrCat(lack, "; there is ", TierNamesText(tree),
                ": ask for one of these, or give HyperNodes that tierName");
}

}  // namespace bth::framework
