// "Did you mean": the nearest known name to one that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth {

// Levenshtein distance, case-insensitive. Cost: |a| x |b|; callers pass short names.
int EditDistance(std::string_view a, std::string_view b);

// The known name with the least distance to `name` when that is at most a third of its length
// (and at least 2), the first in order on ties; empty when nothing is near.
std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known);

// "a, b, c".
std::string ListOf(const std::vector<std::string_view>& names);

// ` (did you mean "x"?)` or an empty string.
std::string DidYouMean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace bth
