// What happens to an object before its rules are checked: unknown fields go, defaults come.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/schema/structural.h"

namespace bth::apiserver {

// Drops the fields of `object` that its schema does not know. The paths of the first
// kUnknownMax of them are added to `unknown`, sorted, unless it is null. apiVersion, kind and
// metadata at the top, and in embedded objects, stay.
void PruneFields(const StructuralSchema& schema, Json& object, std::vector<std::string>* unknown);
constexpr size_t kUnknownMax = 64;
// The same of a value inside of an object.
void PruneValue(const SchemaNode& node, Json& value, std::vector<std::string>* unknown);

// Fills in defaults and drops nulls where null is no value. `value` is what `node` describes.
void DefaultFields(const SchemaNode& node, Json& value);

// Drops unknown metadata fields of the object and of the objects embedded in it. Errors
// (kInvalidArgument, with the words of the API): a known field has another type than it must.
absl::Status CoerceMetadata(const StructuralSchema& schema, Json& object,
                            std::vector<std::string>* unknown);

}  // namespace bth::apiserver
