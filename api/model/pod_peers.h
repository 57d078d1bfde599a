// Labels of pods, and the terms by which pods seek, avoid or spread among each other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/model/constraints.h"
#include "api/model/ids.h"
#include "base/interner.h"

namespace bth::model {

// Label key and value; sorted by key where they come in lists.
using LabelPair = std::pair<Symbol, Symbol>;

// Namespace of a pod, and those of its labels that some selector asks about. Immutable, shared by
// every pod with the same ones.
struct PodLabels {
  Symbol ns;
  std::vector<LabelPair> labels;
  SharedSymbols symbols;  // Of all of them.
  friend bool operator==(const PodLabels& a, const PodLabels& b) {
    return a.ns == b.ns && a.labels == b.labels;
  }
};

// A label selector: all requirements must hold (kIn, kNotIn, kExists, kDoesNotExist).
struct PodSelector {
  std::vector<NodeRequirement> requirements;
  bool never = false;  // Absent, or cannot be parsed: matches nothing.
};

// One term of podAffinity or podAntiAffinity.
struct PodAffinityTerm {
  Symbol topology_key;
  std::vector<Symbol> namespaces;                 // Sorted; the pod's own where none was named.
  std::optional<PodSelector> namespace_selector;  // By labels of the namespace, beside the list.
  PodSelector selector;
  int32_t weight = 0;  // Of preferred terms.
};

// One topologySpreadConstraint; matchLabelKeys are merged into the selector.
struct SpreadConstraint {
  Symbol topology_key;
  bool per_host = false;  // The key is kubernetes.io/hostname.
  PodSelector selector;
  int32_t skew_max = 1;
  int32_t domains_min = 0;          // 0: not given.
  bool required = true;             // DoNotSchedule.
  bool honor_node_affinity = true;  // nodeAffinityPolicy.
  bool honor_node_taints = false;   // nodeTaintsPolicy.
  // Not the pod's own: nodes without the key are rated by the other constraints.
  bool by_default = false;
};

// What a pod asks of the places of other pods. Immutable, part of its constraints.
struct PodPeerTerms {
  std::vector<PodAffinityTerm> required_affinity;
  std::vector<PodAffinityTerm> required_anti_affinity;
  std::vector<PodAffinityTerm> preferred_affinity;
  std::vector<PodAffinityTerm> preferred_anti_affinity;
  std::vector<SpreadConstraint> spread;
  // Those of the pod's own labels that these terms ask about: whether it matches them itself.
  std::shared_ptr<const PodLabels> own;
  SharedSymbols symbols;  // Of those that stand alone; constraints hold those of their terms.

  bool has_required() const {
    return !required_affinity.empty() || !required_anti_affinity.empty();
  }
  bool has_preferred() const {
    return !preferred_affinity.empty() || !preferred_anti_affinity.empty();
  }
  bool has_affinity() const { return has_required() || has_preferred(); }
};

// How many pods on a node (bound or assumed, not terminated) have these labels and terms.
struct LabelledPods {
  LabelsId labels;
  ConstraintsId terms;       // Of pods with affinity terms; invalid: none.
  bool terminating = false;  // Has a deletion timestamp; spread does not count it.
  int32_t pods = 0;
  friend bool operator==(const LabelledPods&, const LabelledPods&) = default;
};
// In order of (labels, terms, terminating); null: no pods. A changed row is a new object.
using PodsOnNode = std::shared_ptr<const std::vector<LabelledPods>>;

// Labels of namespaces by their name's symbol, each list by key.
using NamespaceTable = std::map<Symbol, std::vector<LabelPair>>;

// Pure matching; linear in the requirements, logarithmic in the labels.
bool Matches(const PodSelector& selector, const std::vector<LabelPair>& labels);
// `namespaces` may be null: then no namespace selector matches any but an empty one.
bool Matches(const PodAffinityTerm& term, const PodLabels& pod, const NamespaceTable* namespaces);

}  // namespace bth::model
