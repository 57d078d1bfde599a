#include "cel/stdlib/time_zones.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "base/strings.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

constexpr size_t kZoneNameMax = 64;
constexpr int64_t kZoneMinutesMax = 24 * 60;

// Names come from outside and become paths: only the letters of zones' names, and no way out of the
// database's folder.
bool IsZoneName(std::string_view name) {
  if (name.size() > kZoneNameMax || name.front() == '/') return false;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_letter && !is_digit && c != '_' && c != '-' && c != '+' && c != '/') return false;
  }
  return true;
}

// Looked for first, since Abseil keeps every name that it was ever asked for.
bool IsInDatabase(std::string_view name) {
  const char* folder = std::getenv("TZDIR");
  const std::string path = StrCat(folder == nullptr ? "/usr/share/zoneinfo" : folder, "/", name);
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

absl::Status NotANumber(std::string_view text) {
  return absl::InvalidArgumentError(
      StrCat("strconv.Atoi: parsing ", QuotedText(text), ": invalid syntax"));
}

absl::StatusOr<absl::TimeZone> FixedZone(std::string_view name, size_t colon) {
  const std::string_view hour_text = name.substr(0, colon);
  const std::string_view minute_text = name.substr(colon + 1);
  int64_t hours = 0;
  int64_t minutes = 0;
  if (ReadInt(hour_text, &hours) != NumberFault::kNone) return NotANumber(hour_text);
  if (ReadInt(minute_text, &minutes) != NumberFault::kNone) return NotANumber(minute_text);
  const bool is_clock = hours >= -24 && hours <= 24 && minutes >= 0 && minutes <= 59;
  const int64_t east = !is_clock        ? kZoneMinutesMax + 1
                       : name[0] == '-' ? hours * 60 - minutes
                                        : hours * 60 + minutes;
  if (east < -kZoneMinutesMax || east > kZoneMinutesMax) {
    return absl::InvalidArgumentError(StrCat("invalid time zone offset ", QuotedText(name)));
  }
  return absl::FixedTimeZone(static_cast<int>(east) * 60);
}

}  // namespace

absl::StatusOr<absl::TimeZone> FindTimeZone(std::string_view name) {
  if (name.empty() || name == "UTC") return absl::UTCTimeZone();
  const size_t colon = name.find(':');
  if (colon != std::string_view::npos) return FixedZone(name, colon);
  absl::TimeZone zone;
  if (!IsZoneName(name) || !IsInDatabase(name) || !absl::LoadTimeZone(ToAbsl(name), &zone)) {
    return absl::InvalidArgumentError(StrCat("unknown time zone ", name));
  }
  return zone;
}

}  // namespace bth::cel
