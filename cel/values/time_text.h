// Timestamps and durations as text, by Go's rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace bth::cel {

inline constexpr int64_t kTimestampMin = -62'135'596'800;  // 0001-01-01T00:00:00Z
inline constexpr int64_t kTimestampMax = 253'402'300'799;  // 9999-12-31T23:59:59Z

// RFC 3339 with any fraction and offset. Nothing: not of that form, or not a day. The result may
// lie outside of the range of timestamps (by its offset).
std::optional<Timestamp> ParseTimestamp(std::string_view text);
// A day alone: 2006-01-02.
std::optional<Timestamp> ParseDate(std::string_view text);
// In the offset it was written with, with as many digits of the fraction as it needs.
std::string TimestampText(Timestamp value);

// [-+](number unit)+ with the units ns, us, µs, ms, s, m, h, or "0". Nothing: not of that form, or
// beyond int64 nanoseconds.
std::optional<Duration> ParseDuration(std::string_view text);
// Seconds, "1.5s".
std::string DurationText(Duration value);

}  // namespace bth::cel
