#include "api/types/int_or_string.h"

#include <charconv>

#include "absl/status/status.h"
#include "base/strings.h"

namespace bth::types {

absl::StatusOr<int64_t> IntOrString::Scaled(int64_t total, bool round_up) const {
  if (!is_string) return number;
  int32_t percent = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, percent);
  if (error != std::errc() || end + 1 != last || *end != '%') {
    return absl::InvalidArgumentError(
        StrCat("\"", text.substr(0, 64), "\": expected a number or a percentage such as 25%"));
  }
  const __int128 product = static_cast<__int128>(total) * percent;
  __int128 quotient = product / 100;
  if (round_up && product % 100 > 0) ++quotient;
  if (!round_up && product % 100 < 0) --quotient;
  if (quotient > INT64_MAX || quotient < INT64_MIN) {
    return absl::InvalidArgumentError(StrCat("\"", text, "\" of ", total, ": too large"));
  }
  return static_cast<int64_t>(quotient);
}

}  // namespace bth::types
