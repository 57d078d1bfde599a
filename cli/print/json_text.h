// JSON as kubectl prints it: keys sorted, numbers and escapes as Go's encoding/json has them.
#pragma once

#include <string>

#include "api/types/json.h"

namespace bth::cli {

// On one line, without blanks; `<`, `>` and `&` as \u escapes.
std::string CompactJson(const types::Json& value);
// Indented by four blanks, without a line break at the end. `depth`: how deep the value lies in
// what is around it.
std::string IndentedJson(const types::Json& value, int depth = 0);
// Whole numbers without a fraction, exponents below 1e-6 and from 1e21 on.
std::string JsonNumber(const types::Json& number);

}  // namespace bth::cli
