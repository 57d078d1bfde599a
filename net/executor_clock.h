// The time of an executor as a clock.
#pragma once

#include "base/clock.h"
#include "net/awaitable.h"

namespace bth::net {

// `executor` outlives it. Thread: the executor's.
class ExecutorClock final : public Clock {
 public:
  explicit ExecutorClock(const Executor& executor) : executor_(executor) {}
  absl::Time Now() const override { return executor_.Now(); }
  absl::Duration Monotonic() const override { return executor_.Monotonic(); }

 private:
  const Executor& executor_;
};

}  // namespace bth::net
