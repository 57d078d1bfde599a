#include "cli/print/times.h"

#include "api/types/time.h"
#include "base/strings.h"

namespace bth::cli {
namespace {

// `5m` or `5m10s`: the smaller unit only when there is some of it.
std::string TwoUnits(int64_t large, char large_unit, int64_t small, char small_unit) {
  std::string text = StrCat(large, std::string(1, large_unit));
  if (small > 0) StrAppend(&text, small, std::string(1, small_unit));
  return text;
}

std::string DurationText(absl::Duration age, bool days_always) {
  const int64_t seconds = absl::ToInt64Seconds(age);  // Towards zero.
  if (seconds < -1) return "<invalid>";
  if (age < absl::ZeroDuration()) return "0s";
  if (seconds < 120) return StrCat(seconds, "s");
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return TwoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return StrCat(minutes, "m");
  const int64_t hours = minutes / 60;
  if (hours < 8) return TwoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return StrCat(hours, "h");
  const int64_t days = hours / 24;
  if (days < 8) return TwoUnits(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return StrCat(days, "d");
  const int64_t years = days / 365;
  if (years >= 8) return StrCat(years, "y");
  return days_always ? StrCat(years, "y", days % 365, "d") : TwoUnits(years, 'y', days % 365, 'd');
}

}  // namespace

std::string AgeText(absl::Duration age) {
  return DurationText(age, false);
}

std::string EventAgeText(absl::Duration age) {
  return DurationText(age, true);
}

std::string AgeSince(std::string_view stamp, absl::Time now) {
  const auto time = types::ParseTimestamp(stamp);
  return time.ok() ? AgeText(now - *time) : "<unknown>";
}

std::string TimeText(std::string_view stamp, const TimeStyle& style) {
  const auto time = types::ParseTimestamp(stamp);
  if (!time.ok()) return "<unknown>";
  switch (style.form) {
    case TimeForm::kUsual:
    case TimeForm::kRelative:
      return AgeText(style.now - *time);
    case TimeForm::kAbsolute:
      return absl::FormatTime("%Y-%m-%d %H:%M:%S", *time, style.zone);
    case TimeForm::kRfc3339:
      return absl::FormatTime("%Y-%m-%dT%H:%M:%S%Ez", *time, style.zone);
  }
  return "";
}

std::string WhenText(absl::Time time, absl::Time now, absl::TimeZone zone) {
  return StrCat(absl::FormatTime("%Y-%m-%d %H:%M:%S %z", time, zone), " (", AgeText(now - time),
                ")");
}

}  // namespace bth::cli
