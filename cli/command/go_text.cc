#include "cli/command/go_text.h"

#include <algorithm>
#include <array>
#include <limits>

#include "api/rules/go_quote.h"
#include "api/types/duration.h"
#include "base/strings.h"

namespace bth::cli {
namespace {

absl::Status NumberError(std::string_view text, std::string_view what) {
  return absl::InvalidArgumentError(
      StrCat("strconv.ParseInt: parsing ", rules::GoQuote(text), ": ", what));
}

// Takes "0x" and its like off; 0 as the base of a text with an underscore at a wrong place.
int TakePrefix(std::string_view* digits) {
  if (digits->size() < 2 || digits->front() != '0') return 10;
  const char mark = (*digits)[1];
  const int base = mark == 'x' || mark == 'X'   ? 16
                   : mark == 'b' || mark == 'B' ? 2
                   : mark == 'o' || mark == 'O' ? 8
                                                : 0;
  digits->remove_prefix(base == 0 ? 1 : 2);
  if (!digits->empty() && digits->front() == '_') digits->remove_prefix(1);
  return base == 0 ? 8 : base;
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

// Underscores stand between digits only.
bool TakeUnderscores(std::string_view digits, std::string* out) {
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_') {
      *out += digits[i];
      continue;
    }
    if (i == 0 || i + 1 == digits.size() || digits[i + 1] == '_') return false;
  }
  return true;
}

}  // namespace

std::string GoQuoted(char letter) {
  if (letter == '"') return "'\"'";
  if (letter == '\'') return "'\\''";
  const std::string quoted = rules::GoQuote(std::string(1, letter));
  return StrCat("'", quoted.substr(1, quoted.size() - 2), "'");
}

absl::StatusOr<int64_t> ParseGoInt(std::string_view text, int base, int bits) {
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (negative || (!rest.empty() && rest.front() == '+')) rest.remove_prefix(1);
  std::string digits(rest);
  if (base == 0) {
    base = TakePrefix(&rest);
    digits.clear();
    if (!TakeUnderscores(rest, &digits)) return NumberError(text, "invalid syntax");
  }
  if (digits.empty()) return NumberError(text, "invalid syntax");
  const int64_t most =
      bits == 32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  const auto limit = static_cast<unsigned __int128>(most) + (negative ? 1 : 0);
  unsigned __int128 number = 0;
  bool too_large = false;
  for (const char c : digits) {
    const int digit = DigitOf(c);
    if (digit >= base) return NumberError(text, "invalid syntax");
    if (!too_large) number = number * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
    too_large |= number > limit;
  }
  if (too_large) return NumberError(text, "value out of range");
  const auto magnitude = static_cast<uint64_t>(number);
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

absl::StatusOr<bool> ParseGoBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end()) return true;
  if (std::find(kFalse.begin(), kFalse.end(), text) != kFalse.end()) return false;
  return absl::InvalidArgumentError(
      StrCat("strconv.ParseBool: parsing ", rules::GoQuote(text), ": invalid syntax"));
}

absl::StatusOr<absl::Duration> ParseGoDuration(std::string_view text) {
  absl::StatusOr<absl::Duration> duration = types::ParseDuration(text);
  if (duration.ok()) return duration;
  const std::string_view last = text.empty() ? text : text.substr(text.size() - 1);
  const bool has_digit = text.find_first_of("0123456789") != std::string_view::npos;
  if (has_digit && text.find_first_not_of("+-.0123456789") == std::string_view::npos &&
      last.find_first_of("0123456789") == 0) {
    return absl::InvalidArgumentError(
        StrCat("time: missing unit in duration ", rules::GoQuote(text)));
  }
  return absl::InvalidArgumentError(StrCat("time: invalid duration ", rules::GoQuote(text)));
}

}  // namespace bth::cli
