// The object types that mutations build: Object, Object.spec ... and JSONPatch.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "cel/environment.h"
#include "cel/values/value.h"

namespace bth::apiserver {

inline constexpr std::string_view kObjectType = "Object";
inline constexpr std::string_view kPatchType = "JSONPatch";

cel::TypePtr ConfigurationType();
cel::TypePtr PatchOperationType();
// Those that the expressions name. What cannot be parsed names none.
std::vector<cel::TypePtr> TypesNamedIn(std::span<const std::string_view> sources);
// jsonpatch.escapeKey().
void AddPatchFunctions(cel::Environment& environment);

// What a mutation came to. Errors: kInvalidArgument: a type stands in a place that is not its own,
// or a value has no form in JSON.
absl::StatusOr<types::Json> ConfigurationOf(const cel::Value& value);
absl::StatusOr<types::Json> PatchOf(const cel::Value& value);

}  // namespace bth::apiserver
