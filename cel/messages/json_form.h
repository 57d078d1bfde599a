// Values as google.protobuf.Value holds them: what JSON can say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace bth::cel {

// null, bools and texts as they are; numbers as doubles, or as texts where whole numbers are beyond
// what doubles tell apart; bytes in base64, durations and timestamps as their texts; lists, maps of
// texts and objects with their members so. Optionals are what they hold. Errors: a Value::Error,
// what has no such form, or is too large. Adds to *members how many values it went through.
Value JsonForm(const Value& value, uint64_t* members);

// What cel-go says of a value that cannot become `target`, a type of Go.
std::string ConversionFault(const Value& value, std::string_view target);

}  // namespace bth::cel
