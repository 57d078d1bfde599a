#include "cel/values/time_text.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "base/strings.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;

// Takes texts apart from the front.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  bool Literal(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Number(size_t digits, int* out) {
    if (rest_.size() < digits) return false;
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return false;
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    *out = value;
    return true;
  }
  // ".5" and ",5" as nanoseconds; digits beyond the ninth do not count. None is zero.
  bool Fraction(int* nanos) {
    *nanos = 0;
    if (!Literal('.') && !Literal(',')) return true;
    int scale = 100'000'000;
    size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      *nanos += (rest_[digits] - '0') * scale;
      scale /= 10;
    }
    rest_.remove_prefix(digits);
    return digits > 0;
  }
  // Z or ±hh:mm.
  bool Offset(int* seconds) {
    *seconds = 0;
    if (Literal('Z')) return true;
    const bool west = !rest_.empty() && rest_[0] == '-';
    if (!Literal('-') && !Literal('+')) return false;
    int hours = 0;
    int minutes = 0;
    if (!Number(2, &hours) || !Literal(':') || !Number(2, &minutes)) return false;
    if (hours > 24 || minutes > 60) return false;
    *seconds = (hours * 60 + minutes) * 60;
    if (west) *seconds = -*seconds;
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

bool ReadDay(TimeReader& reader, absl::CivilDay* day) {
  int year = 0;
  int month = 0;
  int date = 0;
  if (!reader.Number(4, &year) || !reader.Literal('-') || !reader.Number(2, &month) ||
      !reader.Literal('-') || !reader.Number(2, &date)) {
    return false;
  }
  *day = absl::CivilDay(year, month, date);
  return day->month() == month && day->day() == date;  // Days that are not carry over.
}

int64_t SecondsOf(absl::CivilDay day) {
  return (day - absl::CivilDay(1970, 1, 1)) * 86'400;
}

struct DurationUnit {
  std::string_view name;
  uint64_t nanos;
};
// Longer names first.
constexpr DurationUnit kDurationUnits[] = {
    {"ns", 1},          {"us", 1'000},        {"\u00b5s", 1'000},  // Micro sign.
    {"\u03bcs", 1'000},                                            // Greek mu.
    {"ms", 1'000'000},  {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
};

constexpr uint64_t kDurationLimit = uint64_t{1} << 63;

// One "1.5h" off the front of `text`, added to *sum. False: no such thing, or too much.
bool TakeDurationPart(std::string_view* text, uint64_t* sum) {
  uint64_t whole = 0;
  size_t at = 0;
  const auto is_digit = [&] {
    return at < text->size() && (*text)[at] >= '0' && (*text)[at] <= '9';
  };
  for (; is_digit(); ++at) {
    if (whole > kDurationLimit / 10) return false;
    whole = whole * 10 + static_cast<uint64_t>((*text)[at] - '0');
    if (whole > kDurationLimit) return false;
  }
  size_t digits = at;
  uint64_t fraction = 0;
  double scale = 1;
  if (at < text->size() && (*text)[at] == '.') {
    ++at;
    bool full = false;  // More digits than a word holds say nothing.
    for (; is_digit(); ++at, ++digits) {
      full = full || fraction > (kDurationLimit - 10) / 10;
      if (full) continue;
      fraction = fraction * 10 + static_cast<uint64_t>((*text)[at] - '0');
      scale *= 10;
    }
  }
  if (digits == 0) return false;
  text->remove_prefix(at);
  for (const DurationUnit& unit : kDurationUnits) {
    if (!text->starts_with(unit.name)) continue;
    text->remove_prefix(unit.name.size());
    if (whole > kDurationLimit / unit.nanos) return false;
    uint64_t nanos = whole * unit.nanos;
    nanos += static_cast<uint64_t>(static_cast<double>(fraction) *
                                   (static_cast<double>(unit.nanos) / scale));
    if (nanos > kDurationLimit || *sum + nanos > kDurationLimit) return false;
    *sum += nanos;
    return true;
  }
  return false;
}

}  // namespace

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  TimeReader reader(text);
  absl::CivilDay day;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int nanos = 0;
  int offset = 0;
  if (!ReadDay(reader, &day) || !reader.Literal('T') || !reader.Number(2, &hour) ||
      !reader.Literal(':') || !reader.Number(2, &minute) || !reader.Literal(':') ||
      !reader.Number(2, &second) || !reader.Fraction(&nanos) || !reader.Offset(&offset)) {
    return std::nullopt;
  }
  if (!reader.at_end() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return Timestamp{SecondsOf(day) + (hour * 60 + minute) * 60 + second - offset, nanos,
                   static_cast<int16_t>(offset / 60)};
}

std::optional<Timestamp> ParseDate(std::string_view text) {
  TimeReader reader(text);
  absl::CivilDay day;
  if (!ReadDay(reader, &day) || !reader.at_end()) return std::nullopt;
  return Timestamp{SecondsOf(day), 0};
}

std::string TimestampText(Timestamp value) {
  const int64_t shown = value.seconds + int64_t{value.offset_minutes} * 60;
  const absl::CivilSecond civil =
      absl::ToCivilSecond(absl::FromUnixSeconds(shown), absl::UTCTimeZone());
  std::string text = absl::StrFormat("%04d-%02d-%02dT%02d:%02d:%02d", civil.year(), civil.month(),
                                     civil.day(), civil.hour(), civil.minute(), civil.second());
  if (value.nanos != 0) {
    std::string fraction = absl::StrFormat("%09d", value.nanos);
    fraction.resize(fraction.find_last_not_of('0') + 1);
    StrAppend(&text, ".", fraction);
  }
  if (value.offset_minutes == 0) return text + "Z";
  const int east = std::abs(value.offset_minutes);
  return text +
         absl::StrFormat("%c%02d:%02d", value.offset_minutes < 0 ? '-' : '+', east / 60, east % 60);
}

std::optional<Duration> ParseDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration{};
  if (text.empty()) return std::nullopt;
  uint64_t sum = 0;
  while (!text.empty()) {
    if (!TakeDurationPart(&text, &sum)) return std::nullopt;
  }
  if (negative) return Duration{static_cast<int64_t>(~sum + 1)};
  if (sum == kDurationLimit) return std::nullopt;
  return Duration{static_cast<int64_t>(sum)};
}

std::string DurationText(Duration value) {
  const int64_t whole = value.nanos / kNanosPerSecond;
  const int64_t rest = value.nanos % kNanosPerSecond;
  // Through a double, as Go has seconds; some nanoseconds of long durations are lost there.
  const double seconds = static_cast<double>(whole) + static_cast<double>(rest) / 1e9;
  return StrCat(PlainDoubleText(seconds), "s");
}

}  // namespace bth::cel
