// The file of --admission-conf: groups of pods that are steered to nodes of their own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "api/types/pod.h"
#include "conf/finding.h"

namespace bth::admission {

enum class GroupKey : uint8_t {
  kNamespace,   // Pods of these namespaces.
  kAnnotation,  // Pods with one of these annotations.
  kNone,        // The same, or with volcano.sh/resource-group: <name>.
  kOther,       // No pod at all.
};

struct ResourceGroup {
  std::string name;
  GroupKey key = GroupKey::kNone;
  std::vector<std::string> namespaces;
  std::map<std::string, std::string> annotations;
  std::string scheduler_name;
  std::vector<types::Json> tolerations;
  std::map<std::string, std::string> labels;
  types::Json affinity;  // Null: none, or one that cannot be read.

  // `ns`: the pod's own, or else that of the request.
  bool Matches(const types::Pod& pod, std::string_view ns) const;
};

// Immutable: shared by the requests that use it.
class ResourceGroups final {
 public:
  static constexpr size_t kGroupsMax = 1000;
  static constexpr size_t kEntriesMax = 10'000;  // Of one list or map.

  // Errors (kInvalidArgument) name line, place and remedy: no YAML, values of a wrong type, too
  // many of something. Empty text is a file without groups. Lifetime of the result: its own.
  static absl::StatusOr<ResourceGroups> Parse(std::string_view text);

  const std::vector<ResourceGroup>& groups() const { return groups_; }
  // What was read but has no effect, or not the one that was meant.
  const std::vector<conf::Finding>& findings() const { return findings_; }
  // The first that matches; null: none.
  const ResourceGroup* Find(const types::Pod& pod, std::string_view ns) const;

 private:
  std::vector<ResourceGroup> groups_;
  std::vector<conf::Finding> findings_;
};

}  // namespace bth::admission
