// Which writes a webhook or a policy concerns: rules of operations and resources, and selectors of
// namespaces and objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/selector.h"
#include "apiserver/matching/target.h"

namespace bth::apiserver {

// One rule; resources are written "pods", "pods/status", "pods/*", "*" or "*/*".
struct ResourceRule {
  std::vector<std::string> operations;
  std::vector<std::string> groups;
  std::vector<std::string> versions;
  std::vector<std::string> resources;
  std::string scope;               // "Namespaced", "Cluster"; else every scope.
  std::vector<std::string> names;  // Of policies; empty: every name.

  bool Matches(const Target& target, const ResourceType& as) const;
};
ResourceRule ReadRule(const Json& rule);

// Immutable once read. Thread: the executor's.
class MatchTerms {
 public:
  // `terms` is a webhook ("rules") or the matchConstraints of a policy ("resourceRules"), and was
  // found to be valid. With `rules_may_lack`, no rules match everything, as in bindings.
  static MatchTerms Read(const Json& terms, std::string_view rules_key,
                         bool rules_may_lack = false);

  // Whether some rule names the resource; cheap, and true more often than Match.
  bool MayMatch(const WriteContext& write) const;
  // The version of the resource that is to be shown, null when the write does not match. Errors:
  // 404 when its namespace is not there.
  absl::StatusOr<ResourceTypePtr> Match(const Core& core, const Target& target) const;

 private:
  ResourceTypePtr FindRule(const Core& core, const Target& target) const;
  absl::StatusOr<bool> SelectsNamespace(const Core& core, const Target& target) const;
  bool SelectsObject(const Target& target) const;

  std::vector<ResourceRule> rules_;
  std::vector<ResourceRule> excluded_;
  bool every_resource_ = false;
  bool equivalent_ = true;
  types::LabelSelector namespaces_;
  types::LabelSelector objects_;
};

}  // namespace bth::apiserver
