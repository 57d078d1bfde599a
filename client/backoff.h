// Growing pauses between attempts, spread so that clients do not return all at once.
#pragma once

#include <algorithm>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/rng.h"
#include "client/api_error.h"

namespace bth::client {

// Pauses of initial, 2 x initial, 4 x initial ... max, each scaled by a random factor in [0.5, 1).
// Thread: one owner.
class Backoff final {
 public:
  Backoff(absl::Duration initial, absl::Duration max, Rng& rng)
      : initial_(initial), max_(max), rng_(rng), next_(initial) {}

  absl::Duration Next() {
    const absl::Duration step = next_;
    next_ = std::min(max_, next_ * 2);
    return step * (0.5 + 0.5 * rng_.Unit());
  }
  // The same, but at least as long as the server asked for.
  absl::Duration Next(const absl::Status& status) {
    return std::max(Next(), RetryAfter(status).value_or(absl::ZeroDuration()));
  }
  void Reset() { next_ = initial_; }

 private:
  const absl::Duration initial_;
  const absl::Duration max_;
  Rng& rng_;
  absl::Duration next_;
};

}  // namespace bth::client
