// The fields that a manager owns, as paths; the FieldsV1 form of managedFields.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "apiserver/patch/merge_rules.h"

namespace bth::apiserver {

using types::Json;

// Steps as FieldsV1 writes them: "f:name", "k:{...}", "v:...". "." ends the path of an item.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

// The leaves of an object with their values; lists and objects by the rules of the kind. Identity
// (apiVersion, kind, name, namespace) and server-owned metadata belong to nobody. `fault` tells of
// the first list item that has no key, or the key of another, if there is one.
using FieldMap = std::map<FieldPath, const Json*>;
FieldMap LeavesOf(const Json& object, const MergeRules& rules, std::string* fault = nullptr);
// Without the members of the object itself that `other` has as well.
FieldMap LeavesUnlike(const Json& other, const Json& object, const MergeRules& rules);
FieldSet FieldsOf(const Json& object, const MergeRules& rules);
// Whether the set has this path or one below it.
bool HasAtOrBelow(const FieldSet& fields, const FieldPath& path);
Json ToFieldsV1(const FieldSet& fields);
FieldSet FromFieldsV1(const Json& fields);

// The value at a path; null pointer when absent.
const Json* FindField(const Json& object, const FieldPath& path);
// Removes the value at a path, and items and objects that it leaves empty of their own.
void EraseField(Json& object, const FieldPath& path);
// ".spec.containers[name=\"a\"].image", for messages.
std::string FieldText(const FieldPath& path);

}  // namespace bth::apiserver
