// A clock that somebody sets, as administrators and time servers do.
#pragma once

#include "base/clock.h"

namespace bth {

// Stands still until told. Thread: one.
class SettableClock final : public Clock {
 public:
  explicit SettableClock(absl::Time start) : start_(start) {}
  absl::Time Now() const override { return start_ + elapsed_; }
  absl::Duration Monotonic() const override { return elapsed_; }
  void Advance(absl::Duration by) { elapsed_ += by; }
  // By so much forward or back, which is no time that passes.
  void Set(absl::Duration by) { start_ += by; }

 private:
  absl::Time start_;
  absl::Duration elapsed_;
};

}  // namespace bth
