// Keys that an object of a JSON text has twice; parsing keeps the last of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::apiserver {

// The paths of the first of them in the order of the text. `text` must be valid JSON and no deeper
// than bodies may be; of other texts nothing is said.
std::vector<std::string> DuplicateKeys(std::string_view text);

}  // namespace bth::apiserver
