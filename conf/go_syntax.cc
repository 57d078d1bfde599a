// Spellings that Go's standard library accepts.
#include <cstdint>
#include <limits>
#include <optional>

#include "base/strings.h"
#include "conf/arguments.h"
#include "conf/text.h"

namespace bth::conf {
namespace {

struct Unit {
  std::string_view name;
  int64_t nanoseconds;
};

// Longer names first where one begins with another.
constexpr Unit kUnits[] = {
    {"ns", 1},          {"us", 1'000},        {"\u00b5s", 1'000},  // Micro sign.
    {"\u03bcs", 1'000},                                            // Greek mu.
    {"ms", 1'000'000},  {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};

const Unit* TakeUnit(std::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (text.substr(0, unit.name.size()) == unit.name) {
      text.remove_prefix(unit.name.size());
      return &unit;
    }
  }
  return nullptr;
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// One `12.5ms`, in nanoseconds: exact for whole numbers, truncated for fractions. Nothing on wrong
// syntax or overflow.
std::optional<int64_t> TakePart(std::string_view& text) {
  using Wide = __int128;
  constexpr Wide kMax = std::numeric_limits<int64_t>::max();
  Wide whole = 0;
  size_t digits = 0;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), ++digits) {
    whole = whole * 10 + (text[0] - '0');
    if (whole > kMax) return std::nullopt;
  }
  Wide fraction = 0;
  Wide scale = 1;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), ++digits) {
      // Digits beyond 1e-18 cannot change a count of nanoseconds.
      if (scale > 100'000'000'000'000'000) continue;
      fraction = fraction * 10 + (text[0] - '0');
      scale *= 10;
    }
  }
  if (digits == 0) return std::nullopt;
  const Unit* unit = TakeUnit(text);
  if (unit == nullptr) return std::nullopt;
  const Wide total = whole * unit->nanoseconds + fraction * unit->nanoseconds / scale;
  if (total > kMax) return std::nullopt;
  return static_cast<int64_t>(total);
}

}  // namespace

absl::StatusOr<absl::Duration> ParseGoDuration(std::string_view text) {
  const auto wrong = [text] {
    return absl::InvalidArgumentError(
        StrCat("\"", Clip(text), "\" is not a duration such as 90s, 1m30s or 250ms"));
  };
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  if (rest == "0") return absl::ZeroDuration();
  if (rest.empty()) return wrong();
  int64_t total = 0;
  while (!rest.empty()) {
    const std::optional<int64_t> part = TakePart(rest);
    if (!part.has_value() || *part > std::numeric_limits<int64_t>::max() - total) return wrong();
    total += *part;
  }
  return absl::Nanoseconds(negative ? -total : total);
}

absl::StatusOr<bool> ParseGoBool(std::string_view text) {
  for (std::string_view word : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == word) return true;
  }
  for (std::string_view word : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == word) return false;
  }
  return absl::InvalidArgumentError(StrCat("\"", Clip(text), "\" is neither true nor false"));
}

}  // namespace bth::conf
