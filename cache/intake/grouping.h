// Which labels a selector matches, and which sub-job of a job a pod belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/intake/compiled.h"

namespace bth::cache {

struct SubJobMatch {
  std::string suffix;  // The label values joined, or their short hash when too long.
  int64_t index = 0;   // The first value as a number; 0 when it is none.
};

// True when the labels meet every requirement. Cost: logarithmic in the labels, each.
bool MatchesAll(const std::vector<LabelRequirement>& selector, const Labels& labels);

// The match of a pod with these labels, or nothing. A policy without matchLabelKeys captures no
// pod.
std::optional<SubJobMatch> MatchSubGroup(const SubGroup& group, const Labels& labels);

// FNV-1a of 32 bits in Kubernetes' safe alphabet, as pod template hashes have it.
std::string SafeHash(const std::string& text);

}  // namespace bth::cache
