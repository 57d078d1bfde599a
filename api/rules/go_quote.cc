#include "api/rules/go_quote.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

struct RuneRange {
  uint32_t first, last;
};

// What Go does not print as it is, beyond ASCII: controls, blanks of all kinds, signs that only
// steer the text around them, private and impossible characters.
constexpr RuneRange kUnprintable[] = {
    {0x80, 0xA0},     {0xAD, 0xAD},       {0x600, 0x605},      {0x61C, 0x61C},   {0x6DD, 0x6DD},
    {0x70F, 0x70F},   {0x1680, 0x1680},   {0x180E, 0x180E},    {0x2000, 0x200F}, {0x2028, 0x202F},
    {0x205F, 0x206F}, {0x3000, 0x3000},   {0xD800, 0xF8FF},    {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF}, {0xE0000, 0xE0FFF}, {0xF0000, 0x10FFFF},
};

bool IsPrinted(uint32_t rune) {
  return std::none_of(std::begin(kUnprintable), std::end(kUnprintable), [rune](RuneRange range) {
    return rune >= range.first && rune <= range.last;
  });
}

// The character that begins `text`, and its bytes; 0 bytes: it is no UTF-8.
struct Rune {
  uint32_t value = 0;
  size_t bytes = 0;
};

Rune ReadRune(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = lead < 0x80   ? 1
                       : lead < 0xC2 ? 0
                       : lead < 0xE0 ? 2
                       : lead < 0xF0 ? 3
                       : lead < 0xF5 ? 4
                                     : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  if (bytes == 1) return {lead, 1};
  uint32_t value = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    value = (value << 6) | (next & 0x3Fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[bytes] || value > 0x10FFFF || surrogate) return {};
  return {value, bytes};
}

void AppendAscii(char c, std::string* out) {
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  if (const size_t at = kSpecial.find(c); at != kSpecial.npos) {
    out->append({'\\', kLetters[at]});
  } else if (c < 0x20 || c == 0x7F) {
    absl::StrAppendFormat(out, "\\x%02x", static_cast<unsigned>(c));
  } else {
    out->push_back(c);
  }
}

void AppendEscape(uint32_t value, std::string* out) {
  if (value > 0xFFFF) {
    absl::StrAppendFormat(out, "\\U%08x", value);
  } else {
    absl::StrAppendFormat(out, "\\u%04x", value);
  }
}

}  // namespace

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    const Rune rune = ReadRune(text);
    if (rune.bytes == 0) {
      absl::StrAppendFormat(&out, "\\x%02x",
                            static_cast<unsigned>(static_cast<unsigned char>(text[0])));
    } else if (rune.bytes == 1) {
      AppendAscii(text[0], &out);
    } else if (IsPrinted(rune.value)) {
      out.append(text.substr(0, rune.bytes));
    } else {
      AppendEscape(rune.value, &out);
    }
    text.remove_prefix(std::max<size_t>(rune.bytes, 1));
  }
  out.push_back('"');
  return out;
}

}  // namespace bth::rules
