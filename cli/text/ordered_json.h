// JSON as Go's encoder writes it.
#pragma once

#include <string>

#include "api/types/json.h"

namespace bth::cli {

// Indented by two blanks, members in the order they have, as of structs. Without a line break at
// the end.
std::string OrderedJson(const types::Json& value);

// On one line, members sorted, as of maps.
std::string SortedJson(const types::Json& map);

}  // namespace bth::cli
