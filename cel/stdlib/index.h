// Members of containers by key, index or field.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace bth::cel {

// What looking for a member found.
struct Member {
  std::optional<Value> value;  // Nothing: it is not there. May be an error.
  std::string fault;           // Why it cannot be looked for; else empty.
};

// container[key] for lists (numbers that are whole), maps, and optionals of both.
Member FindMember(const Value& container, const Value& key);
// operand.field for maps with text keys, objects, and optionals of both.
Member FindField(const Value& operand, std::string_view field);

// The value, or the error that cel-go gives: no such key: x; index out of bounds: 5.
Value IndexValue(const Value& container, const Value& key);
Value SelectValue(const Value& operand, std::string_view field);

}  // namespace bth::cel
