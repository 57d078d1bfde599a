// Any text as a number, a truth or a duration of a flag: read as Go reads it, or refused in words.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "api/types/duration.h"
#include "base/check.h"
#include "base/strings.h"
#include "cli/command/go_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int bits : {32, 64}) {
    const absl::StatusOr<int64_t> number = cli::ParseGoInt(text, 0, bits);
    BTH_CHECK(number.ok() || !number.status().message().empty());
    if (!number.ok()) continue;
    BTH_CHECK(bits == 64 || (*number >= std::numeric_limits<int32_t>::min() &&
                             *number <= std::numeric_limits<int32_t>::max()));
    const absl::StatusOr<int64_t> again = cli::ParseGoInt(StrCat(*number), 10, bits);
    BTH_CHECK(again.ok() && *again == *number);
  }
  const absl::StatusOr<bool> truth = cli::ParseGoBool(text);
  BTH_CHECK(truth.ok() || !truth.status().message().empty());
  const absl::StatusOr<absl::Duration> duration = cli::ParseGoDuration(text);
  BTH_CHECK(duration.ok() || !duration.status().message().empty());
  if (duration.ok()) {
    const absl::StatusOr<absl::Duration> again =
        cli::ParseGoDuration(types::DurationText(*duration));
    BTH_CHECK(again.ok() && *again == *duration);
  }
  if (!text.empty()) BTH_CHECK(cli::GoQuoted(text.front()).size() >= 3);
  return 0;
}
