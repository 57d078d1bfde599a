// Kinds of fields that well-known messages have: their types, and which values fit them.
#pragma once

#include <cstdint>
#include <string_view>

#include "cel/types/type.h"
#include "cel/values/value.h"

namespace bth::cel {

enum class FieldKind : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kEnum,
  kList,     // A google.protobuf.ListValue.
  kStruct,   // A google.protobuf.Struct.
  kItems,    // Repeated google.protobuf.Value.
  kEntries,  // A map of strings to google.protobuf.Value.
};

// As the check sees the field.
TypePtr TypeOfField(FieldKind kind);
// What the field has if it is not set.
Value DefaultOfField(FieldKind kind);
// `value` as the field keeps it: floats rounded, members of lists and structs in their JSON form.
// Errors: a Value::Error that names `field`, "google.protobuf.Int32Value.value". Adds to *members
// how many values it went through.
Value FitField(FieldKind kind, std::string_view field, const Value& value, uint64_t* members);

}  // namespace bth::cel
