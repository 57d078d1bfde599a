#include "plugins/predicates/term_index.h"

#include <algorithm>

#include "api/model/node_affinity.h"

namespace bth::plugins::predicates {

using model::NodeFacts;
using model::NodeTerm;

void TermIndex::AddAnywhere() {
  anywhere_.push_back(static_cast<uint32_t>(entries_.size()));
  entries_.emplace_back();
}

void TermIndex::Add(absl::Span<const NodeTerm> terms) {
  const auto number = static_cast<uint32_t>(entries_.size());
  entries_.push_back(terms);
  if (terms.size() == 1 && !terms[0].never) {
    for (const model::NodeRequirement& label : terms[0].labels) {
      if (label.op != model::SelectorOp::kIn) continue;
      if (std::find(keys_.begin(), keys_.end(), label.key) == keys_.end()) {
        keys_.push_back(label.key);
      }
      Symbol last;
      for (Symbol value : label.values) {  // Sorted.
        if (value != last) by_label_[{label.key, value}].push_back(number);
        last = value;
      }
      return;
    }
  }
  others_.push_back(number);
}

bool TermIndex::Matches(uint32_t number, const NodeFacts& node) const {
  const absl::Span<const NodeTerm> terms = entries_[number];
  return std::any_of(terms.begin(), terms.end(),
                     [&node](const NodeTerm& term) { return model::Matches(term, node); });
}

}  // namespace bth::plugins::predicates
