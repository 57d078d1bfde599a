// Durations as Kubernetes writes them: "1h30m0s", "1.5s", "300ms".
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::types {

// Reads numbers with the units h, m, s, ms, us (also with a micro sign) and ns, in any order, with
// one sign in front; "0" needs no unit. Limited to 292 years in both directions, as an int64 of
// nanoseconds is; anything below a nanosecond is cut.
absl::StatusOr<absl::Duration> ParseDuration(std::string_view text);
// The one spelling Kubernetes uses: hours, minutes and seconds once a second is reached ("1h0m0s",
// "1m30s", "2.5s"), else one of ms, µs and ns; zero is "0s". Durations beyond the limits above are
// written as the nearest limit.
std::string DurationText(absl::Duration duration);

}  // namespace bth::types
