#include "algo/numa_hints.h"

#include <algorithm>
#include <array>
#include <bit>

namespace bth::algo {
namespace {

using model::NumaMask;

NumaMask Reversed(unsigned mask, size_t bits) {
  unsigned out = 0;
  for (size_t b = 0; b < bits; ++b) out |= (mask >> b & 1u) << (bits - 1 - b);
  return static_cast<NumaMask>(out);
}

bool IsNarrower(NumaMask a, NumaMask b) {
  const int left = std::popcount(a);
  const int right = std::popcount(b);
  return left != right ? left < right : a < b;
}

std::vector<NumaHint> AsList(const NumaHints& hints) {
  if (!hints) return {{.nodes = {}, .preferred = true}};
  if (hints->empty()) return {{.nodes = {}, .preferred = false}};
  return *hints;
}

// Tries every combination of one hint of each list.
void MergeFrom(absl::Span<const std::vector<NumaHint>> lists, NumaMask mask, bool preferred,
               NumaHint* best) {
  if (!lists.empty()) {
    for (const NumaHint& hint : lists.front()) {
      const auto narrowed = static_cast<NumaMask>(mask & hint.nodes.value_or(mask));
      MergeFrom(lists.subspan(1), narrowed, preferred && hint.preferred, best);
    }
    return;
  }
  if (mask == 0) return;
  const bool better = preferred != best->preferred ? preferred : IsNarrower(mask, *best->nodes);
  if (better) *best = {.nodes = mask, .preferred = preferred};
}

}  // namespace

NumaPolicy NumaPolicyNamed(std::string_view name) {
  if (name == "best-effort") return NumaPolicy::kBestEffort;
  if (name == "restricted") return NumaPolicy::kRestricted;
  if (name == "single-numa-node") return NumaPolicy::kSingleNumaNode;
  return NumaPolicy::kNone;
}

std::vector<NumaHint> CpuHints(const model::CpuLayout& layout, const model::CpuSet& available,
                               int count) {
  std::array<int, model::kNumaNodesMax> whole{};
  std::array<int, model::kNumaNodesMax> left{};
  const size_t nodes = layout.numa_nodes.size();
  for (size_t n = 0; n < nodes; ++n) {
    whole[n] = layout.numa_nodes[n].size();
    left[n] = (layout.numa_nodes[n] & available).size();
  }
  const auto sum = [nodes](const auto& sizes, NumaMask mask) {
    int total = 0;
    for (size_t n = 0; n < nodes; ++n) total += (mask >> n & 1) != 0 ? sizes[n] : 0;
    return total;
  };
  int smallest = static_cast<int>(nodes);
  std::vector<NumaHint> hints;
  for (int bits = 1; bits <= static_cast<int>(nodes); ++bits) {
    // Lists of ids in lexical order: the lowest id is the highest bit of the number that falls.
    for (unsigned number = layout.AllNumaNodes(); number > 0; --number) {
      if (std::popcount(number) != bits) continue;
      const NumaMask mask = Reversed(number, nodes);
      if (sum(whole, mask) >= count) smallest = std::min(smallest, bits);
      if (sum(left, mask) >= count) hints.push_back({.nodes = mask, .preferred = false});
    }
  }
  for (NumaHint& hint : hints) hint.preferred = std::popcount(*hint.nodes) == smallest;
  return hints;
}

NumaDecision DecideNuma(NumaPolicy policy, absl::Span<const NumaHints> lists, NumaMask all) {
  if (policy == NumaPolicy::kNone) return {.admitted = true, .best = {}};
  std::vector<std::vector<NumaHint>> choices;
  for (const NumaHints& hints : lists) choices.push_back(AsList(hints));
  if (policy == NumaPolicy::kSingleNumaNode) {
    for (std::vector<NumaHint>& list : choices) {
      std::erase_if(list, [](const NumaHint& hint) {
        return !hint.preferred || (hint.nodes && std::popcount(*hint.nodes) > 1);
      });
    }
  }
  NumaHint best{.nodes = all, .preferred = false};
  MergeFrom(choices, all, true, &best);
  return {.admitted = policy == NumaPolicy::kBestEffort || best.preferred, .best = best};
}

}  // namespace bth::algo
