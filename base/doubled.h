// Pauses that grow with each failure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"

namespace bth {

// `first` x 2^times, at most `most`; less than no times count as none.
inline absl::Duration Doubled(absl::Duration first, int times, absl::Duration most) {
  constexpr int kTimesMax = 62;
  return std::min(first * (int64_t{1} << std::clamp(times, 0, kTimesMax)), most);
}

}  // namespace bth
