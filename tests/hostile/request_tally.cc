#include "tests/hostile/request_tally.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace bth::hostile {

void RequestTally::Add(const std::string& method, const std::string& target) {
  ++counts_[StrCat(method, " ", target.substr(0, target.find('?')))];
}

std::string RequestTally::Most(size_t requests_max) const {
  std::vector<std::pair<std::string, uint64_t>> most(counts_.begin(), counts_.end());
  std::stable_sort(most.begin(), most.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (most.size() > requests_max) most.resize(requests_max);
  std::string text;
  for (const auto& [request, count] : most) {
    StrAppend(&text, text.empty() ? "" : ", ", count, " x ", request);
  }
  return text.empty() ? "no request" : text;
}

}  // namespace bth::hostile
