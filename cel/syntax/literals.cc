#include "cel/syntax/literals.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/strings.h"
#include "cel/syntax/source_text.h"

namespace bth::cel {
namespace {

constexpr char32_t kSmallestSurrogate = 0xD800;
constexpr char32_t kLargestSurrogate = 0xDFFF;
constexpr char32_t kLargestPoint = 0x10FFFF;

uint32_t DigitValue(char32_t c) {
  if (c <= U'9') return c - U'0';
  return (c | U' ') - U'a' + 10;
}

// Decimal, or hexadecimal behind 0x. Nothing: more than 64 bits.
std::optional<uint64_t> ParseMagnitude(std::u32string_view text) {
  const bool hex = text.size() > 1 && text[1] == U'x';
  const uint64_t base = hex ? 16 : 10;
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  for (const char32_t c : text) {
    const uint64_t digit = DigitValue(c);
    if (value > (std::numeric_limits<uint64_t>::max() - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

absl::StatusOr<Constant> ParseInt(std::u32string_view text, bool negative) {
  const std::optional<uint64_t> magnitude = ParseMagnitude(text);
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (!magnitude || *magnitude > kMax + (negative ? 1 : 0)) {
    return absl::InvalidArgumentError("invalid int literal");
  }
  return Constant(static_cast<int64_t>(negative ? 0 - *magnitude : *magnitude));
}

absl::StatusOr<Constant> ParseUint(std::u32string_view text) {
  text.remove_suffix(1);
  const std::optional<uint64_t> value = ParseMagnitude(text);
  if (!value) return absl::InvalidArgumentError("invalid uint literal");
  return Constant(*value);
}

absl::StatusOr<Constant> ParseDouble(std::u32string_view text, bool negative) {
  const std::string ascii(text.begin(), text.end());
  double value = 0;
  // Numbers too small to be told from 0 are 0 or subnormal; SimpleAtod gives infinity for those
  // that are too large.
  if (!SimpleAtod(ascii, &value) || std::isinf(value)) {
    return absl::InvalidArgumentError("invalid double literal");
  }
  return Constant(negative ? -value : value);
}

// Takes escapes and other characters off the front of a text one by one.
class Unescaper final {
 public:
  Unescaper(std::u32string_view text, bool raw, bool bytes)
      : text_(text), raw_(raw), bytes_(bytes) {}

  absl::StatusOr<std::string> Run() {
    std::string out;
    while (!text_.empty()) {
      if (text_[0] != U'\\' || raw_) {
        AppendUtf8(text_[0], &out);
        text_.remove_prefix(1);
      } else if (const absl::Status done = Escape(&out); !done.ok()) {
        return done;
      }
    }
    return out;
  }

 private:
  absl::Status Escape(std::string* out) {
    const char32_t letter = text_[1];
    text_.remove_prefix(2);
    switch (letter) {
      case U'x':
      case U'X':
        return Append(Digits(0, 2, 16), out);
      case U'u':
        return AppendPoint(Digits(0, 4, 16), out);
      case U'U':
        return AppendPoint(Digits(0, 8, 16), out);
      case U'0':
      case U'1':
      case U'2':
      case U'3':
        return Append(Digits(DigitValue(letter), 2, 8), out);
      default:
        out->push_back(Simple(letter));
        return absl::OkStatus();
    }
  }

  static char Simple(char32_t letter) {
    switch (letter) {
      case U'a':
        return '\a';
      case U'b':
        return '\b';
      case U'f':
        return '\f';
      case U'n':
        return '\n';
      case U'r':
        return '\r';
      case U't':
        return '\t';
      case U'v':
        return '\v';
      default:
        return static_cast<char>(letter);  // A quote, a backslash, a question mark.
    }
  }

  uint32_t Digits(uint32_t value, size_t count, uint32_t base) {
    for (const char32_t c : text_.substr(0, count)) value = value * base + DigitValue(c);
    text_.remove_prefix(count);
    return value;
  }

  // \x and octal escapes: a byte of bytes, a code point of a string.
  absl::Status Append(uint32_t value, std::string* out) const {
    if (bytes_) {
      out->push_back(static_cast<char>(value));
    } else {
      AppendUtf8(value, out);
    }
    return absl::OkStatus();
  }

  absl::Status AppendPoint(uint32_t point, std::string* out) const {
    if (bytes_) return absl::InvalidArgumentError("unable to unescape string");
    if (point > kLargestPoint || (point >= kSmallestSurrogate && point <= kLargestSurrogate)) {
      return absl::InvalidArgumentError("invalid unicode code point");
    }
    AppendUtf8(point, out);
    return absl::OkStatus();
  }

  std::u32string_view text_;
  const bool raw_;
  const bool bytes_;
};

absl::StatusOr<Constant> ParseText(std::u32string_view text, bool bytes) {
  bool raw = false;
  while (text[0] != U'"' && text[0] != U'\'') {  // The prefix.
    raw = raw || (text[0] | U' ') == U'r';
    text.remove_prefix(1);
  }
  const bool block = text.size() >= 6 && text[1] == text[0] && text[2] == text[0];
  const size_t quotes = block ? 3 : 1;
  text.remove_prefix(quotes);
  text.remove_suffix(quotes);
  absl::StatusOr<std::string> value = Unescaper(text, raw, bytes).Run();
  if (!value.ok()) return value.status();
  if (bytes) return Constant(Bytes{*std::move(value)});
  return Constant(*std::move(value));
}

}  // namespace

absl::StatusOr<Constant> ParseLiteral(TokenKind kind, std::u32string_view text, bool negative) {
  switch (kind) {
    case TokenKind::kInt:
      return ParseInt(text, negative);
    case TokenKind::kUint:
      return ParseUint(text);
    case TokenKind::kFloat:
      return ParseDouble(text, negative);
    case TokenKind::kString:
      return ParseText(text, false);
    case TokenKind::kBytes:
      return ParseText(text, true);
    default:
      return absl::InternalError("no literal");
  }
}

}  // namespace bth::cel
