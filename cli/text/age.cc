#include "cli/text/age.h"

#include <cstdint>

#include "absl/status/statusor.h"
#include "api/types/time.h"
#include "base/strings.h"

namespace bth::cli {
namespace {

constexpr int64_t kHoursPerYear = 365 * 24;

// "5h7m"; without the second part where it is 0.
std::string TwoParts(int64_t large, char large_unit, int64_t small, char small_unit) {
  std::string out = StrCat(large, std::string(1, large_unit));
  if (small != 0) StrAppend(&out, small, std::string(1, small_unit));
  return out;
}

// `says_zero_days`: of whole years up to eight.
std::string AgeText(absl::Duration age, bool says_zero_days) {
  const int64_t seconds = absl::ToInt64Seconds(age);  // Towards zero.
  const int64_t minutes = absl::ToInt64Minutes(age);
  const int64_t hours = absl::ToInt64Hours(age);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return StrCat(seconds, "s");
  if (minutes < 10) return TwoParts(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return StrCat(minutes, "m");
  if (hours < 8) return TwoParts(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return StrCat(hours, "h");
  if (hours < 8 * 24) return TwoParts(hours / 24, 'd', hours % 24, 'h');
  if (hours < 2 * kHoursPerYear) return StrCat(hours / 24, "d");
  const int64_t years = hours / kHoursPerYear;
  const int64_t days = hours / 24 % 365;
  if (hours >= 8 * kHoursPerYear) return StrCat(years, "y");
  if (days == 0 && says_zero_days) return StrCat(years, "y0d");
  return TwoParts(years, 'y', days, 'd');
}

std::string AgeOf(std::string_view timestamp, absl::Time now, bool says_zero_days) {
  const absl::StatusOr<absl::Time> time = types::ParseTimestamp(timestamp);
  return time.ok() ? AgeText(now - *time, says_zero_days) : "<unknown>";
}

}  // namespace

std::string EventAge(absl::Duration age) {
  return AgeText(age, true);
}

std::string ObjectAge(absl::Duration age) {
  return AgeText(age, false);
}

std::string EventAgeOf(std::string_view timestamp, absl::Time now) {
  return AgeOf(timestamp, now, true);
}

std::string ObjectAgeOf(std::string_view timestamp, absl::Time now) {
  return AgeOf(timestamp, now, false);
}

}  // namespace bth::cli
