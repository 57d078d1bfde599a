#include "cli/text/time_text.h"

#include "absl/status/statusor.h"
#include "api/types/time.h"

namespace bth::cli {

std::string DayText(std::string_view timestamp, absl::TimeZone zone) {
  const absl::StatusOr<absl::Time> time = types::ParseTimestamp(timestamp);
  return time.ok() ? absl::FormatTime("%Y-%m-%d", *time, zone) : "0001-01-01";
}

std::string MomentText(std::string_view timestamp, absl::TimeZone zone) {
  const absl::StatusOr<absl::Time> time = types::ParseTimestamp(timestamp);
  if (!time.ok()) return "0001-01-01 00:00:00 +0000 UTC";
  return absl::FormatTime("%Y-%m-%d %H:%M:%S %z %Z", *time, zone);
}

}  // namespace bth::cli
