// Lines that fit a terminal.
#pragma once

#include <string>
#include <string_view>

namespace bth::cli {

// Each line of `text` cut to `width` columns, with a sign where something was cut; colours count
// nothing, and end where their line does. `width` 0: as it is.
std::string ClipLines(std::string_view text, int width, bool utf8);

}  // namespace bth::cli
