#include "admission/rules/go_integer.h"

#include <algorithm>
#include <limits>

#include "api/rules/go_quote.h"
#include "base/strings.h"

namespace bth::admission {

GoInteger ReadGoInteger(std::string_view text) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  GoInteger read;
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    read.fault = GoInteger::Fault::kSyntax;
    return read;
  }
  for (const char c : digits) {
    const int64_t digit = c - '0';
    const bool fits =
        negative ? read.value >= (kLeast + digit) / 10 : read.value <= (kMost - digit) / 10;
    if (!fits) {
      read.value = negative ? kLeast : kMost;
      read.fault = GoInteger::Fault::kRange;
      return read;
    }
    read.value = read.value * 10 + (negative ? -digit : digit);
  }
  return read;
}

std::string AtoiText(std::string_view text, GoInteger::Fault fault) {
  return StrCat("strconv.Atoi: parsing ", rules::GoQuote(text), ": ",
                fault == GoInteger::Fault::kRange ? "value out of range" : "invalid syntax");
}

}  // namespace bth::admission
