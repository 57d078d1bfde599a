#include "admission/rules/go_number.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "api/rules/go_quote.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

absl::Status NotAFloat(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(
      StrCat("strconv.ParseFloat: parsing ", rules::GoQuote(text), ": ", why));
}

std::optional<double> SpecialValue(std::string_view text, bool has_sign) {
  const std::string lower = AsciiStrToLower(text);
  if (lower == "inf" || lower == "infinity") return std::numeric_limits<double>::infinity();
  if (lower == "nan" && !has_sign) return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

struct FloatText {
  std::string digits;  // Without sign, prefix and underscores, as from_chars reads it.
  bool hex = false;
};

bool IsFloatDigit(std::string_view text, size_t at, bool hex) {
  if (at >= text.size()) return false;
  const auto byte = static_cast<unsigned char>(text[at]);
  return hex ? absl::ascii_isxdigit(byte) : absl::ascii_isdigit(byte);
}

// Underscores may stand between digits, and behind the prefix of a hexadecimal number.
size_t TakeDigits(std::string_view text, size_t from, bool hex, std::string* out) {
  size_t at = from;
  for (; at < text.size(); ++at) {
    if (IsFloatDigit(text, at, hex)) {
      out->push_back(text[at]);
      continue;
    }
    const bool behind_prefix = hex && at == from && from == 2;
    const bool between = at > from || behind_prefix;
    if (text[at] != '_' || !between || text[at - 1] == '_' || !IsFloatDigit(text, at + 1, hex)) {
      break;
    }
  }
  return at;
}

// Nothing when `text`, which has no sign, is no number.
std::optional<FloatText> ReadFloatText(std::string_view text) {
  FloatText read;
  read.hex = StartsWithIgnoreCase(text, "0x");
  size_t at = TakeDigits(text, read.hex ? 2 : 0, read.hex, &read.digits);
  if (at < text.size() && text[at] == '.') {
    read.digits.push_back('.');
    at = TakeDigits(text, at + 1, read.hex, &read.digits);
  }
  if (read.digits.empty() || read.digits == ".") return std::nullopt;
  const bool has_exponent =
      at < text.size() && absl::ascii_tolower(text[at]) == (read.hex ? 'p' : 'e');
  if (!has_exponent) {
    if (read.hex || at != text.size()) return std::nullopt;
    return read;
  }
  read.digits.push_back(text[at++]);
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) read.digits.push_back(text[at++]);
  const size_t exponent = at;
  at = TakeDigits(text, at, false, &read.digits);
  if (at == exponent || at != text.size()) return std::nullopt;
  return read;
}

}  // namespace

absl::StatusOr<double> ParseGoFloat(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  const bool has_sign = negative || rest.starts_with('+');
  if (has_sign) rest.remove_prefix(1);
  if (const std::optional<double> special = SpecialValue(rest, has_sign)) {
    return negative ? -*special : *special;
  }
  const std::optional<FloatText> read = ReadFloatText(rest);
  if (!read.has_value()) return NotAFloat(text, "invalid syntax");
  const std::string& digits = read->digits;
  double value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value,
                      read->hex ? std::chars_format::hex : std::chars_format::general);
  // Too small a number is 0, as in Go; which of the two it is, the sign of the exponent says.
  if (error == std::errc::result_out_of_range) {
    const size_t exponent = digits.find_first_of(read->hex ? "pP" : "eE");
    const bool tiny = exponent != std::string::npos
                          ? digits.find('-', exponent) != std::string::npos
                          : digits.starts_with('.') || digits[0] == '0';
    if (!tiny) return NotAFloat(text, "value out of range");
    return 0.0;
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return NotAFloat(text, "invalid syntax");
  }
  return negative ? -value : value;
}

}  // namespace bth::admission
