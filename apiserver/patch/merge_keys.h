// Which lists of the built-in kinds are merged item by item, and by what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::apiserver {

// How a field is merged.
struct MergeRule {
  enum class List {
    kAtomic,  // Replaced as a whole.
    kMap,     // Objects with a key.
    kSet,     // Scalars.
  };
  List list = List::kAtomic;
  std::string_view key;  // Strategic merge: the one key field.
  // Server-side apply may tell items apart by several keys (ports: containerPort, protocol).
  std::vector<std::string_view> apply_keys;
};

// The rule of the field at `path` ("spec.template.spec.containers.env": steps without indexes)
// in a kind. Custom resources have no rules beyond metadata.
MergeRule RuleAt(std::string_view group, std::string_view kind,
                 const std::vector<std::string>& path);

}  // namespace bth::apiserver
