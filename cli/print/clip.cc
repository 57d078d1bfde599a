#include "cli/print/clip.h"

#include "cli/print/utf8.h"

namespace bth::cli {
namespace {

// The end of the escape sequence that begins at `at`: "\x1b[1;32m".
size_t EndOfEscape(std::string_view text, size_t at) {
  size_t end = at + 1;
  if (end < text.size() && text[end] == '[') ++end;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return end < text.size() ? end + 1 : end;
}

int WidthWithoutColours(std::string_view line) {
  int width = 0;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == '\x1b') {
      at = EndOfEscape(line, at);
    } else {
      width += RuneWidth(NextRune(line, &at));
    }
  }
  return width;
}

void AppendClipped(std::string_view line, int width, bool utf8, std::string* out) {
  if (WidthWithoutColours(line) <= width) {
    out->append(line);
    return;
  }
  int left = width - 1;  // The sign takes one.
  bool has_colour = false;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = at;
    if (line[at] == '\x1b') {
      at = EndOfEscape(line, at);
      has_colour = true;
    } else {
      left -= RuneWidth(NextRune(line, &at));
      if (left < 0) break;
    }
    out->append(line.substr(begin, at - begin));
  }
  out->append(utf8 ? "…" : "~");
  if (has_colour) out->append("\x1b[0m");
}

}  // namespace

std::string ClipLines(std::string_view text, int width, bool utf8) {
  if (width <= 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    AppendClipped(text.substr(0, end), width, utf8, &out);
    if (end == std::string_view::npos) break;
    out.push_back('\n');
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace bth::cli
