// networking.k8s.io/v1 NetworkPolicy, as far as we create it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/types/meta.h"
#include "api/types/selector.h"

namespace bth::types {

struct NetworkPolicyPeer {
  std::optional<LabelSelector> pod_selector;
  std::optional<LabelSelector> namespace_selector;
  bool operator==(const NetworkPolicyPeer&) const = default;
};

// Without peers the rule admits everybody.
struct NetworkPolicyIngressRule {
  std::vector<NetworkPolicyPeer> from;
  bool operator==(const NetworkPolicyIngressRule&) const = default;
};

struct NetworkPolicy {
  ObjectMeta meta;
  LabelSelector pod_selector;  // spec.podSelector; empty selects every pod of the namespace
  std::vector<std::string> policy_types;
  std::vector<NetworkPolicyIngressRule> ingress;
  bool operator==(const NetworkPolicy&) const = default;
};

}  // namespace bth::types
