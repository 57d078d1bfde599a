// Values and types in the JSON that the language's public cases use: {"int64Value": "1"},
// {"listValue": {"values": [...]}}, {"primitive": "INT64"}.
#pragma once

#include <optional>

#include "api/types/json.h"
#include "cel/types/type.h"
#include "cel/values/value.h"

namespace bth::test {

// Plain JSON, without a tag, is a value as it stands; it must outlive the result. Nothing: a tag
// whose kind there is not here (messages).
std::optional<cel::Value> ValueFromTagged(const types::Json& json);
types::Json TaggedFromValue(const cel::Value& value);
// Null: a type that there is not here.
cel::TypePtr TypeFromTagged(const types::Json& json);

}  // namespace bth::test
