// Things that wait for their time without holding anybody up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "net/awaitable.h"

namespace bth::client {

// What is parked comes back through `resume` when its time is over, in order of time, then of
// parking. One timer for all. Thread: the executor's.
template <typename T>
class Parking final {
 public:
  using Resume = std::function<void(T item)>;

  Parking(net::Executor& executor, Resume resume)
      : executor_(executor), resume_(std::move(resume)) {}
  Parking(const Parking&) = delete;
  ~Parking() { executor_.CancelTimer(timer_); }

  void Park(T item, absl::Duration delay) {
    const absl::Duration at = executor_.Monotonic() + std::max(delay, absl::ZeroDuration());
    parked_.emplace(std::make_pair(at, next_++), std::move(item));
    Arm();
  }
  // Takes out those of which `wanted` says so. Cost: the number of all.
  template <typename Wanted>
  std::vector<T> TakeIf(const Wanted& wanted) {
    std::vector<T> out;
    for (auto it = parked_.begin(); it != parked_.end();) {
      if (!wanted(it->second)) {
        ++it;
        continue;
      }
      out.push_back(std::move(it->second));
      it = parked_.erase(it);
    }
    return out;
  }
  size_t size() const { return parked_.size(); }
  bool empty() const { return parked_.empty(); }

 private:
  void Arm() {
    if (parked_.empty()) return;
    const absl::Duration first = parked_.begin()->first.first;
    if (timer_ != 0 && timer_at_ <= first) return;
    executor_.CancelTimer(timer_);
    timer_at_ = first;
    timer_ = executor_.RunAfter(first - executor_.Monotonic(), [this] { Fire(); });
  }
  void Fire() {
    timer_ = 0;
    // What an exception keeps from coming back now comes with the next timer.
    struct Rearm {
      Parking* parking;
      ~Rearm() { parking->Arm(); }
    } rearm{this};
    const absl::Duration now = executor_.Monotonic();
    while (!parked_.empty() && parked_.begin()->first.first <= now) {
      auto due = parked_.extract(parked_.begin());
      resume_(std::move(due.mapped()));
    }
  }

  net::Executor& executor_;
  const Resume resume_;
  std::map<std::pair<absl::Duration, uint64_t>, T> parked_;  // By time.
  uint64_t next_ = 0;
  net::Executor::TimerId timer_ = 0;
  absl::Duration timer_at_;
};

}  // namespace bth::client
