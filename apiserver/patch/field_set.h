// The fields that a manager owns, as paths; the FieldsV1 form of managedFields.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/types/json.h"
#include "apiserver/patch/merge_rules.h"

namespace bth::apiserver {

using types::Json;

// Steps as FieldsV1 writes them: "f:name", "k:{...}", "v:...". "." ends the path of an item.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

// What all paths of one write may take in memory. A leaf costs as much as all the steps to it, so
// that a body of 3 MB, nested deeply, could otherwise ask for gigabytes.
constexpr size_t kPathBytesMax = size_t{128} << 20;
class PathBudget {
 public:
  // False when this is too much, and from then on.
  bool Take(size_t bytes);
  // Errors: 413 when it was too much for once; then paths are missing.
  absl::Status Check() const;

 private:
  size_t left_ = kPathBytesMax;
  bool exceeded_ = false;
};

// The leaves of an object with their values; lists and objects by the rules of the kind. Identity
// (apiVersion, kind, name, namespace) and server-owned metadata belong to nobody. `fault` tells of
// the first list item that has no key, or the key of another, if there is one.
using FieldMap = std::map<FieldPath, const Json*>;
FieldMap LeavesOf(const Json& object, const MergeRules& rules, PathBudget& budget,
                  std::string* fault = nullptr);
// Without the members of the object itself that `other` has as well.
FieldMap LeavesUnlike(const Json& other, const Json& object, const MergeRules& rules,
                      PathBudget& budget);
FieldSet PathsOf(const FieldMap& leaves);
// Whether the set has this path or one below it.
bool HasAtOrBelow(const FieldSet& fields, const FieldPath& path);
Json ToFieldsV1(const FieldSet& fields);
FieldSet FromFieldsV1(const Json& fields, PathBudget& budget);

// Removes the values at these paths, which come in their order, and the members that it leaves
// empty of their own. Keys of one list's items may be made of eight sets of names, of 16 each; what
// further ones mean stays.
void EraseFields(Json& object, absl::Span<const FieldPath* const> paths);
// ".spec.containers[name=\"a\"].image", for messages.
std::string FieldText(const FieldPath& path);

}  // namespace bth::apiserver
