// Reads a schedule and asks it for its next times: they come later and later, on whole seconds, and
// within its horizon.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/types/cron_schedule.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto schedule = bth::types::CronSchedule::Parse({reinterpret_cast<const char*>(data), size},
                                                        absl::UTCTimeZone());
  if (!schedule.ok()) return 0;
  absl::Time time = absl::FromUnixSeconds(1'741'687'200);
  for (int i = 0; i < 3; ++i) {
    const std::optional<absl::Time> next = schedule->Next(time);
    if (!next.has_value()) break;
    BTH_CHECK(*next > time);
    BTH_CHECK(absl::FromUnixSeconds(absl::ToUnixSeconds(*next)) == *next);
    time = *next;
  }
  return 0;
}
