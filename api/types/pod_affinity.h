// Where a pod wants to be: node affinity, and affinity to other pods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/selector.h"

namespace bth::types {

struct PreferredNodeTerm {
  int32_t weight = 0;
  NodeSelectorTerm preference;
  bool operator==(const PreferredNodeTerm&) const = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::vector<PreferredNodeTerm> preferred;
  bool operator==(const NodeAffinity&) const = default;
};

struct PodAffinityTerm {
  std::string topology_key;
  std::optional<LabelSelector> label_selector;      // absent: matches no pod
  std::vector<std::string> namespaces;              // with an absent selector empty: the pod's own
  std::optional<LabelSelector> namespace_selector;  // empty: all namespaces
  std::vector<std::string> match_label_keys;        // already merged by the API server
  std::vector<std::string> mismatch_label_keys;
  bool operator==(const PodAffinityTerm&) const = default;
};

struct WeightedPodAffinityTerm {
  int32_t weight = 0;
  PodAffinityTerm term;
  bool operator==(const WeightedPodAffinityTerm&) const = default;
};

// Serves as podAffinity and as podAntiAffinity.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;
  bool operator==(const PodAffinity&) const = default;
};

struct Affinity {
  std::optional<NodeAffinity> node;
  std::optional<PodAffinity> pod;
  std::optional<PodAffinity> pod_anti;
  bool operator==(const Affinity&) const = default;
};

}  // namespace bth::types
