// An executor on virtual time, for simulation and tests: runs when told, never waits.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "net/awaitable.h"

namespace bth::net {

// Thread: the one that made it.
class VirtualExecutor final : public Executor {
 public:
  static constexpr size_t kTasksMax = 10'000'000;

  explicit VirtualExecutor(absl::Time start) : start_(start) {}
  ~VirtualExecutor() override;

  void Post(Task task) override;
  TimerId RunAfter(absl::Duration delay, Task task) override;
  void CancelTimer(TimerId id) override;
  absl::Duration Monotonic() const override { return elapsed_; }
  absl::Time Now() const override { return start_ + elapsed_; }
  bool IsCurrent() const override { return true; }
  // Somebody sets the clock by so much, forward or back: no time passes.
  void SetClock(absl::Duration by) { start_ += by; }

  // Runs what is posted, and what that posts, without letting time pass. Stops after
  // `tasks_max` (a loop that never ends is a bug of the caller) and says whether it ran dry.
  bool RunUntilIdle(size_t tasks_max = kTasksMax);
  // Lets time pass: fires timers in order of their time, then of their making. Stops where one
  // moment takes more than `tasks_max` tasks and timers, and says whether it came to the end.
  bool Advance(absl::Duration by, size_t tasks_max = kTasksMax);
  // Time of the next timer, or InfiniteDuration.
  absl::Duration NextTimer() const;
  // Runs until `done` holds or `limit` of virtual time passed; says whether `done` holds.
  bool RunUntil(const std::function<bool()>& done, absl::Duration limit);

 private:
  // Takes what it runs off `tasks_left`; false: that was not enough.
  bool RunPosted(size_t* tasks_left);

  absl::Time start_;  // Of what Now() tells.
  absl::Duration elapsed_;
  std::deque<Task> ready_;
  std::map<std::pair<absl::Duration, TimerId>, Task> timers_;
  std::map<TimerId, absl::Duration> deadlines_;
  TimerId next_timer_ = 1;
};

}  // namespace bth::net
