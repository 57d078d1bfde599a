// v1 ResourceQuota.
#pragma once

#include <string>
#include <vector>

#include "api/types/meta.h"
#include "api/types/selector.h"

namespace bth::types {

// scopeSelector.matchExpressions
struct ScopeRequirement {
  std::string scope_name;
  SelectorOp op = SelectorOp::kIn;
  std::vector<std::string> values;
  bool operator==(const ScopeRequirement&) const = default;
};

struct ResourceQuota {
  ObjectMeta meta;
  ResourceList spec_hard;           // spec.hard
  std::vector<std::string> scopes;  // spec.scopes
  std::vector<ScopeRequirement> scope_selector;
  ResourceList status_hard;  // status.hard
  ResourceList status_used;  // status.used
  bool operator==(const ResourceQuota&) const = default;
};

}  // namespace bth::types
