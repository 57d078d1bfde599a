#include "api/types/cron_schedule.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace bth::types {
namespace {

absl::Time TimeIn(const std::string& text) {
  absl::Time time;
  std::string error;
  REQUIRE(absl::ParseTime(absl::RFC3339_full, text, &time, &error));
  return time;
}
std::string Text(std::optional<absl::Time> time) {
  return time.has_value() ? absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", *time, absl::UTCTimeZone())
                          : "none";
}
CronSchedule Parsed(const std::string& text, const std::string& zone = "UTC") {
  const absl::StatusOr<absl::TimeZone> loaded = LoadZone(zone);
  REQUIRE(loaded.ok());
  absl::StatusOr<CronSchedule> schedule = CronSchedule::Parse(text, *loaded);
  INFO(schedule.status());
  REQUIRE(schedule.ok());
  return *std::move(schedule);
}

TEST_CASE("schedule: the next time", "[types]") {
  struct Case {
    std::string schedule, zone, after, next;
  };
  const Case c = GENERATE(values<Case>({
      {"*/5 * * * *", "UTC", "2025-03-11T10:00:00Z", "2025-03-11T10:05:00Z"},
      {"*/5 * * * *", "UTC", "2025-03-11T10:04:59Z", "2025-03-11T10:05:00Z"},
      {"0 * * * *", "UTC", "2025-12-31T23:30:00Z", "2026-01-01T00:00:00Z"},
      {"@hourly", "UTC", "2025-03-11T10:00:00Z", "2025-03-11T11:00:00Z"},
      {"@daily", "UTC", "2025-03-11T10:00:00Z", "2025-03-12T00:00:00Z"},
      {"@midnight", "UTC", "2025-03-11T10:00:00Z", "2025-03-12T00:00:00Z"},
      {"@weekly", "UTC", "2025-03-11T10:00:00Z", "2025-03-16T00:00:00Z"},
      {"@monthly", "UTC", "2025-03-11T10:00:00Z", "2025-04-01T00:00:00Z"},
      {"@yearly", "UTC", "2025-03-11T10:00:00Z", "2026-01-01T00:00:00Z"},
      {"@annually", "UTC", "2025-03-11T10:00:00Z", "2026-01-01T00:00:00Z"},
      {"@every 1h30m", "UTC", "2025-03-11T10:00:00.7Z", "2025-03-11T11:30:00Z"},
      {"@every 100ms", "UTC", "2025-03-11T10:00:00Z", "2025-03-11T10:00:01Z"},
      {"30 6-16/4 * * 1-5", "UTC", "2016-05-19T10:30:00Z", "2016-05-19T14:30:00Z"},
      {"30 6-16/4 * * 1-5", "UTC", "2016-05-20T14:30:00Z", "2016-05-23T06:30:00Z"},
      {"5/20 * * * *", "UTC", "2025-03-11T10:26:00Z", "2025-03-11T10:45:00Z"},
      {"5,,20, * * * *", "UTC", "2025-03-11T10:06:00Z", "2025-03-11T10:20:00Z"},
      {"  0 0\t1,15 * * ", "UTC", "2025-03-11T10:00:00Z", "2025-03-15T00:00:00Z"},
      {"0 0 1,15 * *", "UTC", "2025-03-11T10:00:00Z", "2025-03-15T00:00:00Z"},
      {"0 0 * mar-MAY mon", "UTC", "2025-06-01T00:00:00Z", "2026-03-02T00:00:00Z"},
      {"0 0 ? * SUN", "UTC", "2025-03-11T10:00:00Z", "2025-03-16T00:00:00Z"},
      // Both days restricted: either will do.
      {"0 0 13 * 5", "UTC", "2025-03-11T10:00:00Z", "2025-03-13T00:00:00Z"},
      {"0 0 13 * 5", "UTC", "2025-03-13T00:00:00Z", "2025-03-14T00:00:00Z"},
      // A step is a restriction, a star is none.
      {"0 0 */10 * 5", "UTC", "2025-03-12T00:00:00Z", "2025-03-14T00:00:00Z"},
      {"0 0 29 2 *", "UTC", "2025-03-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 31 2 *", "UTC", "2025-03-01T00:00:00Z", "none"},
      // Zones.
      {"0 10 * * *", "Pacific/Honolulu", "2025-03-11T10:00:00Z", "2025-03-11T20:00:00Z"},
      {"TZ=UTC 0 20 * * *", "Pacific/Honolulu", "2025-03-11T10:00:00Z", "2025-03-11T20:00:00Z"},
      {"CRON_TZ=Asia/Tokyo 0 9 * * *", "UTC", "2025-03-11T10:00:00Z", "2025-03-12T00:00:00Z"},
      // The clock skips from 2 to 3: half past two is not there that day.
      {"30 2 * * *", "America/New_York", "2025-03-08T12:00:00Z", "2025-03-10T06:30:00Z"},
      // It is set back from 2 to 1: half past one is there twice.
      {"30 1 * * *", "America/New_York", "2025-11-02T04:00:00Z", "2025-11-02T05:30:00Z"},
      {"30 1 * * *", "America/New_York", "2025-11-02T05:30:00Z", "2025-11-02T06:30:00Z"},
      {"30 1 * * *", "America/New_York", "2025-11-02T06:30:00Z", "2025-11-03T06:30:00Z"},
  }));
  CAPTURE(c.schedule, c.zone, c.after);
  CHECK(Text(Parsed(c.schedule, c.zone).Next(TimeIn(c.after))) == c.next);
}

TEST_CASE("schedule: mistakes are named", "[types]") {
  struct Case {
    std::string schedule, message;
  };
  const Case c = GENERATE(values<Case>({
      {"", "expected five fields or a descriptor such as @daily, found 0: \"\""},
      {"* * * *", "expected five fields or a descriptor such as @daily, found 4: \"* * * *\""},
      {"* * * * * *",
       "expected five fields or a descriptor such as @daily, found 6: \"* * * * * *\""},
      {"@fortnightly",
       "expected five fields or a descriptor such as @daily, found 1: \"@fortnightly\""},
      {" @daily", "expected five fields or a descriptor such as @daily, found 1: \" @daily\""},
      {"60 * * * *", "minute \"60\": must be from 0 to 59"},
      {"* 24 * * *", "hour \"24\": must be from 0 to 23"},
      {"* * 0 * *", "day of month \"0\": must be from 1 to 31"},
      {"* * * 13 *", "month \"13\": must be from 1 to 12"},
      {"* * * * 7", "day of week \"7\": must be from 0 to 6"},
      {"* * * * moon", "day of week \"moon\": expected a number or a name"},
      {"5-1 * * * *", "minute \"5-1\": the range ends before it begins"},
      {"*/0 * * * *", "minute \"*/0\": the step must be a positive number"},
      {"*/-1 * * * *", "minute \"*/-1\": the step must be a positive number"},
      {", * * * *", "minute \",\": nothing is listed"},
      {"-1 * * * *", "minute \"\": expected a number or a name"},
      {"TZ=Nowhere/City * * * * *", "unknown time zone Nowhere/City"},
      {"TZ=UTC", "nothing follows the time zone"},
  }));
  CAPTURE(c.schedule);
  CHECK(CronSchedule::Parse(c.schedule, absl::UTCTimeZone()).status().message() == c.message);
}

TEST_CASE("schedule: a zone has one spelling", "[types]") {
  const absl::StatusOr<absl::TimeZone> zone = LoadZone("Asia/.//Tokyo");
  REQUIRE(zone.ok());
  CHECK(zone->name() == "Asia/Tokyo");
}

TEST_CASE("schedule: bad lengths and texts are errors, not crashes", "[types]") {
  CHECK_FALSE(CronSchedule::Parse(std::string(5000, '*'), absl::UTCTimeZone()).ok());
  CHECK_FALSE(CronSchedule::Parse("@every tomorrow", absl::UTCTimeZone()).ok());
  CHECK_FALSE(CronSchedule::Parse("99999999999999999999 * * * *", absl::UTCTimeZone()).ok());
  CHECK_FALSE(LoadZone("../../etc/passwd").ok());
  CHECK_FALSE(LoadZone("/etc/localtime").ok());
  CHECK_FALSE(LoadZone("file:/etc/localtime").ok());
  CHECK_FALSE(LoadZone("America").ok());
  CHECK_FALSE(LoadZone("Fixed/UTC+01:00:00").ok());
  CHECK_FALSE(LoadZone(std::string("UTC\0x", 5)).ok());
}

TEST_CASE("schedule: the last time is what the next ones lead to", "[types]") {
  const std::string text =
      GENERATE("*/7 * * * *", "30 1-3 * * *", "0 0 13 * 5", "@every 90m", "* 2 25 10 *");
  const std::string zone = GENERATE("UTC", "Europe/Berlin");
  CAPTURE(text, zone);
  const CronSchedule schedule = Parsed(text, zone);
  // Over both changes of the clock.
  for (const char* from : {"2025-03-29T20:00:00Z", "2025-10-25T20:00:00Z"}) {
    const absl::Time after = TimeIn(from);
    std::optional<absl::Time> last;
    for (absl::Time now = after; now < after + absl::Hours(30); now += absl::Minutes(10)) {
      for (auto next = schedule.Next(last.value_or(after)); next.has_value() && *next <= now;
           next = schedule.Next(*last)) {
        last = next;
      }
      CHECK(Text(schedule.Last(after, now)) == Text(last));
    }
  }
}

TEST_CASE("schedule: the last time in years is found at once", "[types]") {
  // Each minute of a day, once a year: the runs between are not stepped over one by one.
  const CronSchedule schedule = Parsed("* * 31 12 *");
  CHECK(Text(schedule.Last(TimeIn("0002-12-31T23:58:00Z"), TimeIn("2026-06-01T00:00:00Z"))) ==
        "2025-12-31T23:59:00Z");
  CHECK(Text(Parsed("0 0 29 2 *")
                 .Last(TimeIn("1890-01-01T00:00:00Z"), TimeIn("1904-02-28T00:00:00Z"))) ==
        "1896-02-29T00:00:00Z");
}

}  // namespace
}  // namespace bth::types
