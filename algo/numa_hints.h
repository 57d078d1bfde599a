// On which NUMA nodes something may stand, as the kubelet's topology manager sees it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "api/model/numa.h"

namespace bth::algo {

struct NumaHint {
  std::optional<model::NumaMask> nodes;  // Nothing: any.
  bool preferred = false;
  friend bool operator==(const NumaHint&, const NumaHint&) = default;
};

// What one provider says of one resource. Nothing: it does not mind. Empty: it is not possible.
using NumaHints = std::optional<std::vector<NumaHint>>;

enum class NumaPolicy : uint8_t { kNone, kBestEffort, kRestricted, kSingleNumaNode };
NumaPolicy NumaPolicyNamed(std::string_view name);  // Unknown names: kNone.

// Sets of NUMA nodes that have `count` CPUs available, smaller ones first; preferred are those as
// small as they could be if nothing were in use.
std::vector<NumaHint> CpuHints(const model::CpuLayout& layout, const model::CpuSet& available,
                               int count);

struct NumaDecision {
  bool admitted = false;
  NumaHint best;
  friend bool operator==(const NumaDecision&, const NumaDecision&) = default;
};
// What the policy makes of all lists together, where the node has the NUMA nodes `all`. Cost: the
// product of the lengths of the lists.
NumaDecision DecideNuma(NumaPolicy policy, absl::Span<const NumaHints> lists, model::NumaMask all);

}  // namespace bth::algo
