// Points in time for people, in their zone. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace bth::cli {

// "2026-08-20"; "0001-01-01" when `timestamp` is empty or cannot be read.
std::string DayText(std::string_view timestamp, absl::TimeZone zone);

// "2026-08-20 10:07:21 +0800 CST"; the first second of the year 1 likewise.
std::string MomentText(std::string_view timestamp, absl::TimeZone zone);

}  // namespace bth::cli
