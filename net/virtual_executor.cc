#include "net/virtual_executor.h"

#include <algorithm>

namespace bth::net {

VirtualExecutor::~VirtualExecutor() {
  // What is dropped here may post or cancel once more while its captures are destroyed.
  while (!ready_.empty() || !timers_.empty()) {
    std::deque<Task> ready = std::exchange(ready_, {});
    auto timers = std::exchange(timers_, {});
    deadlines_.clear();
  }
}

void VirtualExecutor::Post(Task task) {
  ready_.push_back(std::move(task));
}

Executor::TimerId VirtualExecutor::RunAfter(absl::Duration delay, Task task) {
  const TimerId id = next_timer_++;
  const absl::Duration at = elapsed_ + std::max(delay, absl::ZeroDuration());
  timers_.emplace(std::make_pair(at, id), std::move(task));
  deadlines_.emplace(id, at);
  return id;
}

void VirtualExecutor::CancelTimer(TimerId id) {
  const auto deadline = deadlines_.find(id);
  if (deadline == deadlines_.end()) return;
  auto dropped = timers_.extract(std::make_pair(deadline->second, id));
  deadlines_.erase(deadline);
}

bool VirtualExecutor::RunUntilIdle(size_t tasks_max) {
  for (size_t ran = 0; !ready_.empty(); ++ran) {
    if (ran == tasks_max) return false;
    Task task = std::move(ready_.front());
    ready_.pop_front();
    Guard("executor.task", task);
  }
  return true;
}

void VirtualExecutor::Advance(absl::Duration by) {
  const absl::Duration end = elapsed_ + by;
  RunUntilIdle();
  while (!timers_.empty() && timers_.begin()->first.first <= end) {
    auto due = timers_.extract(timers_.begin());
    deadlines_.erase(due.key().second);
    // A timer set for the past by a caller that ran late does not turn time back.
    elapsed_ = std::max(elapsed_, due.key().first);
    Guard("executor.timer", due.mapped());
    RunUntilIdle();
  }
  elapsed_ = std::max(elapsed_, end);
}

absl::Duration VirtualExecutor::NextTimer() const {
  return timers_.empty() ? absl::InfiniteDuration() : timers_.begin()->first.first;
}

bool VirtualExecutor::RunUntil(const std::function<bool()>& done, absl::Duration limit) {
  const absl::Duration end = elapsed_ + limit;
  RunUntilIdle();
  while (!done()) {
    const absl::Duration next = NextTimer();
    if (next > end || next == absl::InfiniteDuration()) {
      if (end != absl::InfiniteDuration()) elapsed_ = std::max(elapsed_, end);
      return false;
    }
    Advance(std::max(next - elapsed_, absl::ZeroDuration()));
  }
  return true;
}

}  // namespace bth::net
