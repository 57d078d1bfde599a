// Labels of one object are few and sorted by key. Private to this folder.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace bth::model {

// The value of `key`, null without one.
inline const Symbol* FindLabel(const std::vector<std::pair<Symbol, Symbol>>& labels, Symbol key) {
  const auto at = std::lower_bound(labels.begin(), labels.end(), key,
                                   [](const auto& label, Symbol k) { return label.first < k; });
  return at == labels.end() || at->first != key ? nullptr : &at->second;
}

}  // namespace bth::model
