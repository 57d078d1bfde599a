// The two time texts of Kubernetes: RFC 3339 in seconds (creationTimestamp) and in microseconds
// (leases, events).
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::types {

// A time that is written with six digits after the second.
struct MicroTime {
  absl::Time time;
  friend bool operator==(const MicroTime& a, const MicroTime& b) { return a.time == b.time; }
};

// Reads RFC 3339 with or without a fraction, in any zone. The year is limited to 0..9999.
absl::StatusOr<absl::Time> ParseTimestamp(std::string_view text);
// "2026-01-02T03:04:05Z"; fractions are cut, as Kubernetes does.
std::string FormatTimestamp(absl::Time time);
// "2026-01-02T03:04:05.000000Z".
std::string FormatMicroTimestamp(absl::Time time);

}  // namespace bth::types
