#include "base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace bth {

absl::Time RealClock::Now() const {
  return absl::Now();
}

absl::Duration RealClock::Monotonic() const {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace bth
