// When a CronJob is due: cron's five fields, with the meaning that Go's robfig/cron gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::types {

// "minute hour day-of-month month day-of-week" with lists, ranges, steps, names, `*` and `?`;
// "@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"; "@every 1h30m".
// In front of any of them "TZ=zone " or "CRON_TZ=zone ". When both days are restricted, one that
// matches either is meant. Plain value, any thread.
class CronSchedule final {
 public:
  // Without a zone in the text, `zone` is the one whose clock is meant. Errors name the field.
  static absl::StatusOr<CronSchedule> Parse(std::string_view text, absl::TimeZone zone);

  // The first time after `time` at which it is due, to the second. Times of day that a clock skips
  // are left out, those that it repeats are due twice. Nothing when there is none within five
  // years. Cost: at most a look at each of those days.
  std::optional<absl::Time> Next(absl::Time time) const;
  // The last time after `after` and not after `until` at which it is due, as Next would come to it
  // step by step. Nothing when there is none in the ten years before `until`. Cost: as Next.
  std::optional<absl::Time> Last(absl::Time after, absl::Time until) const;

 private:
  absl::Status ParseFields(std::string_view text);
  bool MatchesDay(absl::CivilDay day) const;
  std::vector<absl::Time> TimesOn(absl::CivilDay day) const;

  absl::Duration every_ = absl::ZeroDuration();  // Positive: "@every".
  absl::TimeZone zone_;
  // One bit for each value that matches.
  uint64_t minutes_ = 0;
  uint64_t hours_ = 0;
  uint64_t days_ = 0;
  uint64_t months_ = 0;
  uint64_t weekdays_ = 0;  // 0 is Sunday.
  bool any_day_ = false;
  bool any_weekday_ = false;
};

// The zone of that name as the system's database has it ($TZDIR, else /usr/share/zoneinfo); "" and
// "UTC" are UTC, "Local" is that of the process. Files outside of the database are not looked at.
absl::StatusOr<absl::TimeZone> LoadZone(std::string_view name);

}  // namespace bth::types
