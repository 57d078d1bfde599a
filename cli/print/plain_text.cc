#include "cli/print/plain_text.h"

#include "absl/strings/str_format.h"
#include "cli/print/utf8.h"

namespace bth::cli {

std::string EscapeTerminal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\x1b') {
      out.append("^[");
    } else if (c == '\r') {
      out.append("\\r");
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string OneLine(std::string_view text) {
  const size_t end = text.find_first_of("\f\n\r");
  const std::string_view line = text.substr(0, end);
  std::string out;
  for (size_t at = 0; at < line.size();) {
    const size_t start = at;
    const char32_t rune = NextRune(line, &at);
    if (rune == 0x1b) {
      out.append("^[");
    } else if (rune < 0x20 || (rune >= 0x7F && rune < 0xA0)) {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned>(rune));
    } else if (rune == kBadRune) {
      AppendRune(rune, &out);
    } else {
      out.append(line.substr(start, at - start));
    }
  }
  if (end != std::string_view::npos) out.append("...");
  return out;
}

std::string OnOneLine(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t rune = NextRune(text, &at);
    AppendRune(IsPrintable(rune) ? rune : U' ', &out);
  }
  return out;
}

}  // namespace bth::cli
