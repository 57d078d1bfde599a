// The fields that a manager owns, as paths; the FieldsV1 form of managedFields.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"

namespace bth::apiserver {

using types::Json;

// Steps as FieldsV1 writes them: "f:name", "k:{...}", "v:...". "." ends the path of an item.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

// The leaves of `configuration`; lists by the rules of the kind (patch/merge_keys.h). Identity
// (apiVersion, kind, name, namespace) and server-owned metadata belong to nobody.
FieldSet FieldsOf(const Json& configuration, std::string_view group, std::string_view kind);
Json ToFieldsV1(const FieldSet& fields);
FieldSet FromFieldsV1(const Json& fields);

// The value at a path; null pointer when absent.
const Json* FindField(const Json& object, const FieldPath& path);
// Removes the value at a path, and items and objects that it leaves empty of their own.
void EraseField(Json& object, const FieldPath& path);
// ".spec.containers[name=\"a\"].image", for messages.
std::string FieldText(const FieldPath& path);

}  // namespace bth::apiserver
