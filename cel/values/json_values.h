// JSON documents as values of expressions. The document must outlive all values that view it.
#pragma once

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "cel/types/type.h"
#include "cel/values/value.h"

namespace bth::cel {

// `type` says how a value is meant: timestamps, durations and bytes come as strings, objects and
// maps alike as JSON objects. Dyn (or null): as it comes; whole numbers are ints, objects are maps.
Value FromJson(const types::Json& json, const TypePtr& type);
// Errors: what JSON has no form for (errors, types, opaque values but quantities and the like).
absl::StatusOr<types::Json> ToJson(const Value& value);

}  // namespace bth::cel
