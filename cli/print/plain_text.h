// Texts from objects on their way to a terminal, which must not obey them.
#pragma once

#include <string>
#include <string_view>

namespace bth::cli {

// As kubectl does: ESC becomes `^[`, a carriage return `\r` in two characters.
std::string EscapeTerminal(std::string_view text);

// One line of a table: cut with `...` at the first line break, the two above escaped as there,
// other control characters as `\x07`.
std::string OneLine(std::string_view text);

// All of it on one line: line breaks, and whatever else a terminal may obey, become blanks.
std::string OnOneLine(std::string_view text);

}  // namespace bth::cli
