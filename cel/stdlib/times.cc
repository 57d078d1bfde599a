// Parts of timestamps, in UTC or a named time zone, and of durations.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "base/strings.h"
#include "cel/stdlib/overloads.h"
#include "cel/stdlib/standard.h"
#include "cel/stdlib/time_zones.h"

namespace bth::cel {
namespace {

using TimeArgs = std::span<const Value>;

struct CivilTime {
  absl::CivilSecond second;
  int32_t nanos = 0;
};
using CivilPart = int64_t (*)(const CivilTime& time);

int64_t WeekdayFromSunday(const CivilTime& time) {
  return (static_cast<int64_t>(absl::GetWeekday(absl::CivilDay(time.second))) + 1) % 7;
}

int64_t DayOfYear(const CivilTime& time) {
  return absl::GetYearDay(absl::CivilDay(time.second)) - 1;
}

Value PartIn(const Value& time, absl::TimeZone zone, CivilPart part) {
  const Timestamp stamp = time.AsTimestamp();
  const absl::CivilSecond civil = absl::ToCivilSecond(absl::FromUnixSeconds(stamp.seconds), zone);
  return Value::Int(part({civil, stamp.nanos}));
}

// The overloads of one part: without and with a time zone.
struct TimePart {
  const char* function;
  const char* id;
  const char* zoned_id;
  CivilPart part;
};

constexpr TimePart kTimeParts[] = {
    {"getFullYear", "timestamp_to_year", "timestamp_to_year_with_tz",
     [](const CivilTime& time) -> int64_t { return time.second.year(); }},
    {"getMonth", "timestamp_to_month", "timestamp_to_month_with_tz",
     [](const CivilTime& time) -> int64_t { return time.second.month() - 1; }},
    {"getDayOfYear", "timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz", DayOfYear},
    {"getDayOfMonth", "timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz",
     [](const CivilTime& time) -> int64_t { return time.second.day() - 1; }},
    {"getDate", "timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz",
     [](const CivilTime& time) -> int64_t { return time.second.day(); }},
    {"getDayOfWeek", "timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz",
     WeekdayFromSunday},
    {"getHours", "timestamp_to_hours", "timestamp_to_hours_with_tz",
     [](const CivilTime& time) -> int64_t { return time.second.hour(); }},
    {"getMinutes", "timestamp_to_minutes", "timestamp_to_minutes_with_tz",
     [](const CivilTime& time) -> int64_t { return time.second.minute(); }},
    {"getSeconds", "timestamp_to_seconds", "timestamp_to_seconds_tz",
     [](const CivilTime& time) -> int64_t { return time.second.second(); }},
    {"getMilliseconds", "timestamp_to_milliseconds", "timestamp_to_milliseconds_with_tz",
     [](const CivilTime& time) -> int64_t { return time.nanos / 1'000'000; }},
};

void DeclareTimePart(Environment& environment, const TimePart& part) {
  const CivilPart read = part.part;
  Declare(
      environment, part.function,
      {MemberOverload(part.id, {Type::Timestamp()}, Type::Int(),
                      [read](TimeArgs args) { return PartIn(args[0], absl::UTCTimeZone(), read); }),
       MemberOverload(
           part.zoned_id, {Type::Timestamp(), Type::String()}, Type::Int(), [read](TimeArgs args) {
             const absl::StatusOr<absl::TimeZone> zone = FindTimeZone(args[1].AsString());
             if (zone.ok()) return PartIn(args[0], *zone, read);
             return Value::Error(std::string(zone.status().message()));
           })});
}

// Whole units in a duration: of all of it, not of what is left by larger units.
void DeclareDurationPart(Environment& environment, const char* function, const char* id,
                         int64_t unit_nanos) {
  Declare(environment, function,
          {MemberOverload(id, {Type::Duration()}, Type::Int(), [unit_nanos](TimeArgs args) {
            return Value::Int(args[0].AsDuration().nanos / unit_nanos);
          })});
}

}  // namespace

void AddTimeFunctions(Environment& environment) {
  for (const TimePart& part : kTimeParts) DeclareTimePart(environment, part);
  DeclareDurationPart(environment, "getHours", "duration_to_hours", 3'600'000'000'000);
  DeclareDurationPart(environment, "getMinutes", "duration_to_minutes", 60'000'000'000);
  DeclareDurationPart(environment, "getSeconds", "duration_to_seconds", 1'000'000'000);
  DeclareDurationPart(environment, "getMilliseconds", "duration_to_milliseconds", 1'000'000);
}

}  // namespace bth::cel
