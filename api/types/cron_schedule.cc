#include "api/types/cron_schedule.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/time/civil_time.h"
#include "api/types/duration.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::types {
namespace {

constexpr size_t kTextBytesMax = 1024;
constexpr int kYearsMax = 5;
// Nine years lie between two leap days around a year like 2100.
constexpr int kYearsBackMax = 10;

struct FieldRange {
  std::string_view name;
  int first;
  int last;
  std::vector<std::string_view> words;  // Of the values from `first` on.
};

const std::array<FieldRange, 5>& Fields() {
  static const std::array<FieldRange, 5> fields = {{
      {"minute", 0, 59, {}},
      {"hour", 0, 23, {}},
      {"day of month", 1, 31, {}},
      {"month",
       1,
       12,
       {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
      {"day of week", 0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
  }};
  return fields;
}

struct Descriptor {
  std::string_view name;
  std::string_view fields;
};
constexpr Descriptor kDescriptors[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};

struct TimeSet {
  uint64_t bits = 0;
  bool any = false;  // A star, or `?`, without a step.
};

absl::Status WrongField(const FieldRange& range, std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(StrCat(range.name, " \"", text, "\": ", why));
}

absl::StatusOr<int> ReadValue(const FieldRange& range, std::string_view text) {
  const std::string lower = AsciiStrToLower(text);
  for (size_t i = 0; i < range.words.size(); ++i) {
    if (range.words[i] == lower) return range.first + static_cast<int>(i);
  }
  int value = 0;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || !SimpleAtoi(text, &value)) {
    return WrongField(range, text, "expected a number or a name");
  }
  if (value < range.first || value > range.last) {
    return WrongField(range, text, StrCat("must be from ", range.first, " to ", range.last));
  }
  return value;
}

// One entry of a list: "*", "a", "a-b", each with "/step".
absl::StatusOr<TimeSet> ReadEntry(const FieldRange& range, std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view values = text.substr(0, slash);
  const size_t dash = values.find('-');
  TimeSet matches;
  int first = range.first;
  int last = range.last;
  int step = 1;
  if (values == "*" || values == "?") {
    matches.any = slash == std::string_view::npos;
  } else {
    BTH_ASSIGN_OR_RETURN(first, ReadValue(range, values.substr(0, dash)));
    last = slash == std::string_view::npos ? first : range.last;
    if (dash != std::string_view::npos) {
      BTH_ASSIGN_OR_RETURN(last, ReadValue(range, values.substr(dash + 1)));
    }
  }
  if (slash != std::string_view::npos) {
    const std::string_view number = text.substr(slash + 1);
    if (number.find_first_not_of("0123456789") != std::string_view::npos ||
        !SimpleAtoi(number, &step) || step < 1) {
      return WrongField(range, text, "the step must be a positive number");
    }
    if (step == 1 && (values == "*" || values == "?")) matches.any = true;
  }
  if (first > last) return WrongField(range, text, "the range ends before it begins");
  for (int64_t value = first; value <= last; value += step) matches.bits |= uint64_t{1} << value;
  return matches;
}

absl::StatusOr<TimeSet> ReadField(const FieldRange& range, std::string_view text) {
  TimeSet all;
  const auto entries = SplitText(text, ',', absl::SkipEmpty());
  if (entries.begin() == entries.end()) return WrongField(range, text, "nothing is listed");
  for (const absl::string_view entry : entries) {
    BTH_ASSIGN_OR_RETURN(const TimeSet one, ReadEntry(range, ToStd(entry)));
    all.bits |= one.bits;
    all.any = all.any || one.any;
  }
  return all;
}

bool Has(uint64_t bits, int value) {
  return (bits >> value & 1) != 0;
}

// The one spelling of a zone's name; nothing for names that could lead out of the database.
std::optional<std::string> PlainZoneName(std::string_view name) {
  if (name.front() == '/' || name.front() == '\\' || StrContains(name, "..") ||
      name.size() > kTextBytesMax || name.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  std::string plain;
  for (const absl::string_view part : SplitText(name, '/', absl::SkipEmpty())) {
    if (part != ".") StrAppend(&plain, plain.empty() ? "" : "/", part);
  }
  return plain;
}

bool IsInZoneDatabase(const std::string& name) {
  const char* folder = std::getenv("TZDIR");
  const bool is_set = folder != nullptr && *folder != '\0';
  std::error_code error;
  const std::filesystem::path root = is_set ? folder : "/usr/share/zoneinfo";
  return !name.empty() && std::filesystem::is_regular_file(root / name, error);
}

}  // namespace

absl::StatusOr<absl::TimeZone> LoadZone(std::string_view name) {
  if (name.empty() || name == "UTC") return absl::UTCTimeZone();
  if (name == "Local") return absl::LocalTimeZone();
  const absl::Status unknown = absl::NotFoundError(StrCat("unknown time zone ", name));
  const std::optional<std::string> plain = PlainZoneName(name);
  // Abseil remembers each name it is asked for without end, known or not: it is only asked for
  // those that the database has.
  if (!plain.has_value() || !IsInZoneDatabase(*plain)) return unknown;
  absl::TimeZone zone;
  return absl::LoadTimeZone(*plain, &zone) ? absl::StatusOr<absl::TimeZone>(zone) : unknown;
}

absl::StatusOr<CronSchedule> CronSchedule::Parse(std::string_view text, absl::TimeZone zone) {
  if (text.size() > kTextBytesMax) {
    return absl::InvalidArgumentError(
        StrCat("a schedule may have ", kTextBytesMax, " characters, not ", text.size()));
  }
  CronSchedule schedule;
  schedule.zone_ = zone;
  std::string_view rest = text;  // Blanks around fields count for nothing; descriptors have none.
  if (rest.starts_with("TZ=") || rest.starts_with("CRON_TZ=")) {
    const size_t equals = rest.find('=');
    const size_t space = rest.find(' ');
    if (space == std::string_view::npos) {
      return absl::InvalidArgumentError("nothing follows the time zone");
    }
    BTH_ASSIGN_OR_RETURN(schedule.zone_, LoadZone(rest.substr(equals + 1, space - equals - 1)));
    rest = StripAsciiWhitespace(rest.substr(space));
  }
  BTH_RETURN_IF_ERROR(schedule.ParseFields(rest));
  return schedule;
}

absl::Status CronSchedule::ParseFields(std::string_view text) {
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    BTH_ASSIGN_OR_RETURN(const absl::Duration every, ParseDuration(text.substr(kEvery.size())));
    every_ = std::max(absl::Trunc(every, absl::Seconds(1)), absl::Seconds(1));
    return absl::OkStatus();
  }
  for (const Descriptor& descriptor : kDescriptors) {
    if (text == descriptor.name) return ParseFields(descriptor.fields);
  }
  const std::vector<absl::string_view> fields =
      SplitText(text, absl::ByAnyChar(" \t\n\v\f\r"), absl::SkipEmpty());
  if (fields.size() != Fields().size()) {
    return absl::InvalidArgumentError(
        StrCat("expected five fields or a descriptor such as @daily, found ", fields.size(), ": \"",
               text, "\""));
  }
  std::array<TimeSet, 5> read;
  for (size_t i = 0; i < read.size(); ++i) {
    BTH_ASSIGN_OR_RETURN(read[i], ReadField(Fields()[i], ToStd(fields[i])));
  }
  minutes_ = read[0].bits;
  hours_ = read[1].bits;
  days_ = read[2].bits;
  months_ = read[3].bits;
  weekdays_ = read[4].bits;
  any_day_ = read[2].any;
  any_weekday_ = read[4].any;
  return absl::OkStatus();
}

bool CronSchedule::MatchesDay(absl::CivilDay day) const {
  if (!Has(months_, day.month())) return false;
  // absl::Weekday begins with Monday.
  const int weekday = (static_cast<int>(absl::GetWeekday(day)) + 1) % 7;
  const bool by_month = Has(days_, day.day());
  const bool by_week = Has(weekdays_, weekday);
  return any_day_ || any_weekday_ ? by_month && by_week : by_month || by_week;
}

// In no order: a clock that is set back gives times twice.
std::vector<absl::Time> CronSchedule::TimesOn(absl::CivilDay day) const {
  std::vector<absl::Time> times;
  for (int hour = 0; hour < 24; ++hour) {
    if (!Has(hours_, hour)) continue;
    for (int minute = 0; minute < 60; ++minute) {
      if (!Has(minutes_, minute)) continue;
      const absl::TimeZone::TimeInfo info =
          zone_.At(absl::CivilSecond(day.year(), day.month(), day.day(), hour, minute, 0));
      if (info.kind == absl::TimeZone::TimeInfo::SKIPPED) continue;
      times.push_back(info.pre);
      if (info.post != info.pre) times.push_back(info.post);
    }
  }
  return times;
}

std::optional<absl::Time> CronSchedule::Next(absl::Time time) const {
  if (every_ > absl::ZeroDuration()) {
    return absl::FromUnixSeconds(absl::ToUnixSeconds(time)) + every_;
  }
  const absl::CivilDay begin = absl::ToCivilDay(time, zone_);
  const auto year_max = begin.year() + kYearsMax;
  for (absl::CivilDay day = begin; day.year() <= year_max; ++day) {
    if (!MatchesDay(day)) continue;
    std::optional<absl::Time> first;
    for (const absl::Time one : TimesOn(day)) {
      if (one > time && (!first.has_value() || one < *first)) first = one;
    }
    if (first.has_value()) return first;
  }
  return std::nullopt;
}

std::optional<absl::Time> CronSchedule::Last(absl::Time after, absl::Time until) const {
  if (every_ > absl::ZeroDuration()) {
    const absl::Time from = absl::FromUnixSeconds(absl::ToUnixSeconds(after));
    const absl::Duration steps = absl::Floor(until - from, every_);
    return steps < every_ ? std::nullopt : std::optional(from + steps);
  }
  const absl::CivilDay begin = absl::ToCivilDay(after, zone_);
  const absl::CivilDay end = absl::ToCivilDay(until, zone_);
  const auto year_min = end.year() - kYearsBackMax;
  for (absl::CivilDay day = end; day >= begin && day.year() >= year_min; --day) {
    if (!MatchesDay(day)) continue;
    std::optional<absl::Time> last;
    for (const absl::Time one : TimesOn(day)) {
      if (one > after && one <= until && (!last.has_value() || one > *last)) last = one;
    }
    if (last.has_value()) return last;
  }
  return std::nullopt;
}

}  // namespace bth::types
