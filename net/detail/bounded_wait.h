// Ends a wait for a promised result at a deadline or when a token fires.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "net/awaitable.h"

namespace bth::net::detail {

// Lives as long as the wait. Thread: the executor's.
template <typename T>
class BoundedWait {
 public:
  BoundedWait(Executor& executor, const Promised<absl::StatusOr<T>>& result,
              absl::Duration deadline, std::string at_deadline)
      : executor_(executor), result_(result) {
    if (deadline == absl::InfiniteDuration()) return;
    timer_ =
        executor.RunAfter(deadline - executor.Monotonic(), [this, text = std::move(at_deadline)] {
          timer_ = 0;
          result_.Set(absl::DeadlineExceededError(text));
        });
  }
  BoundedWait(const BoundedWait&) = delete;
  BoundedWait& operator=(const BoundedWait&) = delete;
  ~BoundedWait() {
    if (timer_ != 0) executor_.CancelTimer(timer_);
  }
  void EndOn(const CancelToken& token, absl::Status why) {
    registrations_.push_back(
        token.OnCancel([result = result_, why = std::move(why)] { result.Set(why); }));
  }

 private:
  Executor& executor_;
  const Promised<absl::StatusOr<T>> result_;
  Executor::TimerId timer_ = 0;
  std::vector<CancelToken::Registration> registrations_;
};

}  // namespace bth::net::detail
