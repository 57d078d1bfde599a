#include "cli/print/tab_writer.h"

#include <algorithm>

#include "cli/print/utf8.h"

namespace bth::cli {
namespace {

// kubectl's: a column takes six places at least, three of them blank.
constexpr int kTabWidthMin = 6;
constexpr int kTabGap = 3;
// A text beyond this sticks out of its column: it must not make every line as long as itself.
constexpr int kTabTextMax = 4096;

// The last cell of a line belongs to no column: nothing follows it.
bool HasColumn(const std::vector<std::string>& line, size_t column) {
  return line.size() > column + 1;
}

}  // namespace

void TabWriter::Write(std::string_view text) {
  for (const char c : text) {
    if (c == '\t' || c == '\v') {
      lines_.back().emplace_back();
    } else if (c == '\n' || c == '\f') {
      lines_.emplace_back(1);
    } else {
      lines_.back().back().push_back(c);
    }
  }
}

void TabWriter::PadColumn(size_t column) {
  for (size_t first = 0; first < lines_.size();) {
    if (!HasColumn(lines_[first], column)) {
      ++first;
      continue;
    }
    int width = kTabWidthMin;
    size_t last = first;
    for (; last < lines_.size() && HasColumn(lines_[last], column); ++last) {
      width = std::max(width, std::min(DisplayWidth(lines_[last][column]), kTabTextMax) + kTabGap);
    }
    if (widths_.size() <= column) widths_.resize(column + 1);
    widths_[column] = std::max(widths_[column], width);
    for (; first < last; ++first) {
      std::string& cell = lines_[first][column];
      const int blanks = std::max(widths_[column] - DisplayWidth(cell), kTabGap);
      cell.append(static_cast<size_t>(blanks), ' ');
    }
  }
}

void TabWriter::Flush(std::string& out) {
  size_t columns = 0;
  for (const Line& line : lines_) columns = std::max(columns, line.size());
  for (size_t column = 0; column + 1 < columns; ++column) PadColumn(column);
  for (size_t i = 0; i < lines_.size(); ++i) {
    for (const std::string& cell : lines_[i]) out.append(cell);
    if (i + 1 < lines_.size()) out.push_back('\n');
  }
  lines_ = {Line(1)};
}

}  // namespace bth::cli
