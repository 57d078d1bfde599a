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

bool VirtualExecutor::RunPosted(size_t* tasks_left) {
  for (; !ready_.empty(); --*tasks_left) {
    if (*tasks_left == 0) return false;
    Task task = std::move(ready_.front());
    ready_.pop_front();
    Guard("executor.task", task);
  }
  return true;
}

bool VirtualExecutor::RunUntilIdle(size_t tasks_max) {
  return RunPosted(&tasks_max);
}

bool VirtualExecutor::Advance(absl::Duration by, size_t tasks_max) {
  const absl::Duration end = elapsed_ + by;
  size_t tasks_left = tasks_max;
  if (!RunPosted(&tasks_left)) return false;
  while (!timers_.empty() && timers_.begin()->first.first <= end) {
    const absl::Duration at = timers_.begin()->first.first;
    if (at > elapsed_) {  // One set for the past does not turn time back.
      elapsed_ = at;
      tasks_left = tasks_max;
    }
    if (tasks_left == 0) return false;
    --tasks_left;
    auto due = timers_.extract(timers_.begin());
    deadlines_.erase(due.key().second);
    Guard("executor.timer", due.mapped());
    if (!RunPosted(&tasks_left)) return false;
  }
  elapsed_ = std::max(elapsed_, end);
  return true;
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
