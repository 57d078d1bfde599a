#include "api/model/node_affinity.h"

#include <algorithm>

namespace bth::model {
namespace {

bool Contains(const std::vector<Symbol>& sorted, Symbol value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

bool MatchesLabel(const NodeRequirement& requirement, const NodeLabel* label) {
  switch (requirement.op) {
    case SelectorOp::kIn:
      return label != nullptr && Contains(requirement.values, label->value);
    case SelectorOp::kNotIn:
      return label == nullptr || !Contains(requirement.values, label->value);
    case SelectorOp::kExists:
      return label != nullptr;
    case SelectorOp::kDoesNotExist:
      return label == nullptr;
    case SelectorOp::kGt:
      return label != nullptr && label->number && requirement.bound &&
             *label->number > *requirement.bound;
    case SelectorOp::kLt:
      return label != nullptr && label->number && requirement.bound &&
             *label->number < *requirement.bound;
  }
  return false;
}

}  // namespace

bool Matches(const NodeTerm& term, const NodeFacts& node) {
  if (term.never) return false;
  for (const NodeRequirement& requirement : term.labels) {
    if (!MatchesLabel(requirement, node.FindLabel(requirement.key))) return false;
  }
  for (const NodeRequirement& requirement : term.names) {
    const bool named = Contains(requirement.values, node.name_symbol);
    if (named != (requirement.op == SelectorOp::kIn)) return false;
  }
  return true;
}

bool MatchesRequired(const PodConstraints& pod, const NodeFacts& node) {
  for (const auto& [key, value] : pod.node_selector) {
    const NodeLabel* label = node.FindLabel(key);
    if (label == nullptr || label->value != value) return false;
  }
  if (!pod.has_required_terms) return true;
  return std::any_of(pod.required_terms.begin(), pod.required_terms.end(),
                     [&node](const NodeTerm& term) { return Matches(term, node); });
}

int64_t PreferredWeight(const PodConstraints& pod, const NodeFacts& node) {
  int64_t sum = 0;
  for (const PreferredNodeTerm& preferred : pod.preferred_terms) {
    if (Matches(preferred.term, node)) sum += preferred.weight;
  }
  return sum;
}

}  // namespace bth::model
