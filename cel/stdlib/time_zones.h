// The time zones that expressions name.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::cel {

// "Europe/Berlin" of the system's database, "UTC", "" (UTC), "+01:30", "-08:00". Errors
// (kInvalidArgument): unknown time zone x. Any thread.
absl::StatusOr<absl::TimeZone> FindTimeZone(std::string_view name);

}  // namespace bth::cel
