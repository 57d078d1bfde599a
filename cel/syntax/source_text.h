// The text of an expression as code points, with its lines: what lexer and messages count in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bth::cel {

struct SourcePlace {
  int line = 1;    // From 1.
  int column = 0;  // From 0, in code points.
};

// Appends a code point as UTF-8.
void AppendUtf8(char32_t point, std::string* out);

// Bytes that are not UTF-8 count as one U+FFFD each, as Go decodes strings.
class SourceText {
 public:
  explicit SourceText(std::string_view utf8);

  size_t size() const { return points_.size(); }
  // Past the end: 0, which no token begins with.
  char32_t operator[](size_t offset) const { return offset < size() ? points_[offset] : U'\0'; }
  bool AtEnd(size_t offset) const { return offset >= size(); }
  std::u32string_view Points(size_t offset, size_t length) const;
  std::string Utf8(size_t offset, size_t length) const;

  SourcePlace Place(int32_t offset) const;
  // Without its line end; as UTF-8.
  std::string Line(int line) const;
  size_t LineBytes(int line) const;  // Length of Line(line) in UTF-8.

 private:
  std::u32string_view LinePoints(int line) const;

  std::u32string points_;
  std::vector<size_t> line_starts_ = {0};
};

}  // namespace bth::cel
