#include "api/types/duration.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "base/strings.h"

namespace bth::types {
namespace {

struct Unit {
  std::string_view name;
  int64_t nanoseconds;
};

// Longer names first, where one begins with another.
constexpr Unit kUnits[] = {{"ns", 1},
                           {"us", 1'000},
                           {"\xC2\xB5s", 1'000},  // the micro sign
                           {"\xCE\xBCs", 1'000},  // the Greek letter
                           {"ms", 1'000'000},
                           {"s", 1'000'000'000},
                           {"m", 60'000'000'000},
                           {"h", 3'600'000'000'000}};

constexpr uint64_t kMagnitudeMax = uint64_t{1} << 63;
constexpr size_t kDurationTextMax = 128;

const Unit* TakeUnit(std::string_view* text) {
  for (const Unit& unit : kUnits) {
    if (text->substr(0, unit.name.size()) != unit.name) continue;
    text->remove_prefix(unit.name.size());
    return &unit;
  }
  return nullptr;
}

// Takes "1.5h" off the front and adds it. False: no such thing, or too much.
bool AddPart(std::string_view* text, uint64_t* total) {
  using Wide = unsigned __int128;
  Wide whole = 0;
  Wide fraction = 0;
  Wide scale = 1;
  size_t digits = 0;
  while (!text->empty() && absl::ascii_isdigit(text->front())) {
    whole = whole * 10 + static_cast<Wide>(text->front() - '0');
    if (whole > kMagnitudeMax) return false;
    text->remove_prefix(1);
    ++digits;
  }
  if (!text->empty() && text->front() == '.') {
    text->remove_prefix(1);
    while (!text->empty() && absl::ascii_isdigit(text->front())) {
      // 18 digits are more than an hour has nanoseconds; those behind them are cut.
      if (scale < Wide{1'000'000'000'000'000'000}) {
        fraction = fraction * 10 + static_cast<Wide>(text->front() - '0');
        scale *= 10;
      }
      text->remove_prefix(1);
      ++digits;
    }
  }
  const Unit* const unit = digits == 0 ? nullptr : TakeUnit(text);
  if (unit == nullptr) return false;
  const auto size = static_cast<Wide>(unit->nanoseconds);
  const Wide sum = *total + whole * size + fraction * size / scale;
  if (sum > kMagnitudeMax) return false;
  *total = static_cast<uint64_t>(sum);
  return true;
}

absl::Status NotADuration(std::string_view text) {
  return absl::InvalidArgumentError(
      StrCat("duration \"", text.substr(0, 64),
             "\": expected numbers with units, such as 1h30m or 2.5s, up to 292 years"));
}

// `nanoseconds` in units of 10^digits nanoseconds, as short as it goes.
std::string Decimal(uint64_t nanoseconds, int digits) {
  uint64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  std::string text = StrCat(nanoseconds / scale);
  const uint64_t rest = nanoseconds % scale;
  if (rest == 0) return text;
  std::string fraction = StrCat(rest);
  fraction.insert(0, static_cast<size_t>(digits) - fraction.size(), '0');
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return StrCat(text, ".", fraction);
}

}  // namespace

absl::StatusOr<absl::Duration> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  if (rest.size() > kDurationTextMax) return NotADuration(text);
  const bool negative = !rest.empty() && rest.front() == '-';
  if (negative || (!rest.empty() && rest.front() == '+')) rest.remove_prefix(1);
  if (rest == "0") return absl::ZeroDuration();
  if (rest.empty()) return NotADuration(text);
  uint64_t total = 0;
  while (!rest.empty()) {
    if (!AddPart(&rest, &total)) return NotADuration(text);
  }
  if (total == kMagnitudeMax) {
    if (!negative) return NotADuration(text);
    return absl::Nanoseconds(INT64_MIN);
  }
  const auto magnitude = static_cast<int64_t>(total);
  return absl::Nanoseconds(negative ? -magnitude : magnitude);
}

std::string DurationText(absl::Duration duration) {
  const int64_t signed_nanoseconds = absl::ToInt64Nanoseconds(duration);  // Saturates.
  const bool negative = signed_nanoseconds < 0;
  const uint64_t nanoseconds = negative ? uint64_t{0} - static_cast<uint64_t>(signed_nanoseconds)
                                        : static_cast<uint64_t>(signed_nanoseconds);
  const std::string_view sign = negative ? "-" : "";
  constexpr uint64_t kSecond = 1'000'000'000;
  if (nanoseconds == 0) return "0s";
  if (nanoseconds < 1'000) return StrCat(sign, nanoseconds, "ns");
  if (nanoseconds < 1'000'000) {
    return StrCat(sign, Decimal(nanoseconds, 3), "\xC2\xB5s");
  }
  if (nanoseconds < kSecond) return StrCat(sign, Decimal(nanoseconds, 6), "ms");
  const uint64_t minutes = nanoseconds / (60 * kSecond);
  std::string text(sign);
  if (minutes >= 60) StrAppend(&text, minutes / 60, "h");
  if (minutes > 0) StrAppend(&text, minutes % 60, "m");
  StrAppend(&text, Decimal(nanoseconds % (60 * kSecond), 9), "s");
  return text;
}

}  // namespace bth::types
