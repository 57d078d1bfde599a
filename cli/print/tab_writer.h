// Columns as kubectl aligns them: text with tabs becomes cells, each as wide as the widest of those
// above and below it, and three blanks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::cli {

// Widths of a column never shrink, so that what watches print later lines up. Thread: one.
class TabWriter {
 public:
  // Tabs end cells, line breaks end lines.
  void Write(std::string_view text);
  // Appends what was written since; an unfinished line too.
  void Flush(std::string& out);

 private:
  using Line = std::vector<std::string>;
  void PadColumn(size_t column);

  std::vector<Line> lines_ = {Line(1)};
  std::vector<int> widths_;  // Of each column, so far.
};

}  // namespace bth::cli
