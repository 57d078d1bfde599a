#include "api/model/node.h"

#include <algorithm>

namespace bth::model {

const NodeLabel* NodeFacts::FindLabel(Symbol key) const {
  auto it = std::lower_bound(labels.begin(), labels.end(), key,
                             [](const NodeLabel& label, Symbol k) { return label.key < k; });
  return it != labels.end() && it->key == key ? &*it : nullptr;
}

}  // namespace bth::model
