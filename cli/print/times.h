// Times for people.
#pragma once

#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace bth::cli {

// How long something took or has been there, as kubectl shows it: `62s`, `3m10s`, `5h7m`, `5d9h`,
// `2y89d`. More than a second into the future is `<invalid>`.
std::string AgeText(absl::Duration age);
// The same as Volcano's `vcctl job view` shows it: between two and eight years days stand there
// always, as in `5y0d`.
std::string EventAgeText(absl::Duration age);

// The age at `now` of what has this RFC 3339 stamp; `<unknown>` without one.
std::string AgeSince(std::string_view stamp, absl::Time now);

// How points in time are shown: as the place has it by itself, as `5m`, as `2026-01-02 03:04:05` in
// the zone of the reader, or as `2026-01-02T03:04:05+01:00`.
enum class TimeForm { kUsual, kRelative, kAbsolute, kRfc3339 };

struct TimeStyle {
  absl::Time now;
  TimeForm form = TimeForm::kUsual;
  absl::TimeZone zone;
};

// An RFC 3339 stamp in the style, `<unknown>` without one. kUsual is the age.
std::string TimeText(std::string_view stamp, const TimeStyle& style);

// `2026-01-02 03:04:05 +0100 (2d)`: absolute in `zone`, with the age behind.
std::string WhenText(absl::Time time, absl::Time now, absl::TimeZone zone);

}  // namespace bth::cli
