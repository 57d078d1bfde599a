// Time as an interface, so that tests and simulation decide what time it is.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace bth {

// Thread: any.
class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time, for stamps that leave the process and for comparison with object stamps.
  virtual absl::Time Now() const = 0;
  // Time since an arbitrary origin; never goes back. For durations and deadlines.
  virtual absl::Duration Monotonic() const = 0;
};

// The machine's clocks.
class RealClock final : public Clock {
 public:
  absl::Time Now() const override;
  absl::Duration Monotonic() const override;
};

// Stands still until told. Thread: any.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(absl::Time start) : start_(start) {}
  absl::Time Now() const override { return start_ + Monotonic(); }
  absl::Duration Monotonic() const override {
    return absl::Nanoseconds(elapsed_ns_.load(std::memory_order_relaxed));
  }
  void Advance(absl::Duration by) {
    elapsed_ns_.fetch_add(absl::ToInt64Nanoseconds(by), std::memory_order_relaxed);
  }

 private:
  const absl::Time start_;
  std::atomic<int64_t> elapsed_ns_{0};
};

}  // namespace bth
