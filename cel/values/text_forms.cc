#include "cel/values/text_forms.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/charconv.h"
#include "base/strings.h"

namespace bth::cel {
namespace {

std::optional<std::string> SpecialDouble(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return std::nullopt;
}

std::string ToChars(double value, std::chars_format format) {
  char buffer[400];  // The longest plain double has some 330 characters.
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  return std::string(buffer, end);
}

bool IsDecimalDigit(char c) {
  return c >= '0' && c <= '9';
}

// digits [. digits] [e [sign] digits], with a digit before the exponent.
bool IsDecimalFloat(std::string_view text) {
  size_t at = 0;
  size_t digits = 0;
  while (at < text.size() && IsDecimalDigit(text[at])) ++at, ++digits;
  if (at < text.size() && text[at] == '.') {
    ++at;
    while (at < text.size() && IsDecimalDigit(text[at])) ++at, ++digits;
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  const size_t exponent = at;
  while (at < text.size() && IsDecimalDigit(text[at])) ++at;
  return at == text.size() && at > exponent;
}

// Length of the code point at the front of `text`; 0: not valid UTF-8 there.
size_t CodePointLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

template <typename Integer>
NumberFault ReadDigits(std::string_view text, Integer* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (text.empty() || end != text.data() + text.size()) return NumberFault::kSyntax;
  if (error == std::errc::result_out_of_range) return NumberFault::kRange;
  return error == std::errc() ? NumberFault::kNone : NumberFault::kSyntax;
}

}  // namespace

std::string DoubleText(double value) {
  if (auto special = SpecialDouble(value)) return *special;
  std::string scientific = ToChars(value, std::chars_format::scientific);
  const size_t mark = scientific.find('e');
  int exponent = 0;
  const char* digits = scientific.data() + mark + (scientific[mark + 1] == '+' ? 2 : 1);
  std::from_chars(digits, scientific.data() + scientific.size(), exponent);
  // Go's %g without a precision changes over where six digits would not do.
  if (exponent < -4 || exponent >= 6) return scientific;
  return ToChars(value, std::chars_format::fixed);
}

std::string PlainDoubleText(double value) {
  if (auto special = SpecialDouble(value)) return *special;
  return ToChars(value, std::chars_format::fixed);
}

std::string QuotedText(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = CodePointLength(text.substr(at));
    const char c = text[at];
    if (length == 0) {
      StrAppend(&out, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      StrAppend(&out, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      out += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  out += '"';
  return out;
}

NumberFault ReadInt(std::string_view text, int64_t* out) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return NumberFault::kSyntax;
  }
  return ReadDigits(text, out);
}

NumberFault ReadUint(std::string_view text, uint64_t* out) {
  return ReadDigits(text, out);
}

NumberFault ReadDouble(std::string_view text, double* out) {
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  double value = 0;
  if (EqualsIgnoreCase(rest, "inf") || EqualsIgnoreCase(rest, "infinity")) {
    value = std::numeric_limits<double>::infinity();
  } else if (rest.size() == text.size() && EqualsIgnoreCase(rest, "nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    if (!IsDecimalFloat(rest)) return NumberFault::kSyntax;
    const auto read = absl::from_chars(rest.data(), rest.data() + rest.size(), value);
    // Too small is zero, or as near to it as there are numbers.
    if (read.ec == std::errc::result_out_of_range && value > 1) return NumberFault::kRange;
  }
  *out = negative ? -value : value;
  return NumberFault::kNone;
}

uint64_t CountCodePoints(std::string_view text) {
  uint64_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = CodePointLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  if (text.size() % 4 != 0 || !Base64Unescape(text, &out)) return std::nullopt;
  return out;
}

std::string EncodeBase64(std::string_view bytes) {
  return Base64Escape(bytes);
}

std::string KeyText(const Value& key) {
  switch (key.kind()) {
    case ValueKind::kString:
      return std::string(key.AsString());
    case ValueKind::kUint:
      return StrCat(key.AsUint());
    case ValueKind::kDouble:
      return DoubleText(key.AsDouble());
    default:
      return key.DebugText();
  }
}

}  // namespace bth::cel
