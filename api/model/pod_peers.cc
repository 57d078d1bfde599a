#include "api/model/pod_peers.h"

#include <algorithm>

#include "api/model/find_label.h"

namespace bth::model {
namespace {

bool Holds(const NodeRequirement& requirement, const Symbol* value) {
  const auto listed = [&] {
    return std::binary_search(requirement.values.begin(), requirement.values.end(), *value);
  };
  switch (requirement.op) {
    case SelectorOp::kIn:
      return value != nullptr && listed();
    case SelectorOp::kNotIn:
      return value == nullptr || !listed();
    case SelectorOp::kExists:
      return value != nullptr;
    case SelectorOp::kDoesNotExist:
      return value == nullptr;
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      return false;  // Not among the operators of label selectors.
  }
  return false;
}

// A namespace that is not known yet counts as one without labels.
const std::vector<LabelPair>& LabelsOf(Symbol ns, const NamespaceTable& namespaces) {
  static const auto* const kNone = new std::vector<LabelPair>();
  const auto it = namespaces.find(ns);
  return it == namespaces.end() ? *kNone : it->second;
}

}  // namespace

bool Matches(const PodSelector& selector, const std::vector<LabelPair>& labels) {
  if (selector.never) return false;
  for (const NodeRequirement& requirement : selector.requirements) {
    if (!Holds(requirement, FindLabel(labels, requirement.key))) return false;
  }
  return true;
}

bool Matches(const PodAffinityTerm& term, const PodLabels& pod, const NamespaceTable* namespaces) {
  bool in_scope = std::binary_search(term.namespaces.begin(), term.namespaces.end(), pod.ns);
  if (!in_scope && term.namespace_selector.has_value()) {
    const PodSelector& selector = *term.namespace_selector;
    in_scope = namespaces != nullptr ? Matches(selector, LabelsOf(pod.ns, *namespaces))
                                     : !selector.never && selector.requirements.empty();
  }
  return in_scope && Matches(term.selector, pod.labels);
}

}  // namespace bth::model
