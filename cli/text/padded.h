// Columns of fixed width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bth::cli {

// With blanks behind it up to `width` characters; longer texts stay whole.
std::string Padded(std::string_view text, size_t width);

// Cells one after the other, each padded, the last one too, and a line's end.
std::string PaddedLine(const std::vector<std::string>& cells, const std::vector<size_t>& widths);

}  // namespace bth::cli
