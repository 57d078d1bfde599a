#include "client/work_queue.h"

#include <algorithm>

#include "base/doubled.h"

namespace bth::client {

WorkQueue::WorkQueue(net::Executor& executor, WorkQueueOptions options)
    : executor_(executor),
      options_(options),
      retry_bucket_(executor, options.retry_qps, options.retry_burst) {}

WorkQueue::~WorkQueue() {
  executor_.CancelTimer(timer_);
}

bool WorkQueue::RoomFor(const std::string& key) {
  const bool known = dirty_.contains(key) || in_work_.contains(key) || delay_of_.contains(key) ||
                     failures_.contains(key);
  const size_t tracked = dirty_.size() + in_work_.size() + delay_of_.size() + failures_.size();
  if (!shut_down_ && (known || tracked < options_.keys_max)) return true;
  ++counters_.dropped;
  return false;
}

void WorkQueue::MakeReady(const std::string& key) {
  ready_.push_back({key, executor_.Monotonic()});
  ++counters_.added;
  // All are woken: one of them may have gone away, and the others find nothing and wait again.
  for (const net::Promised<bool>& waiter : std::exchange(waiting_, {})) waiter.Set(true);
}

bool WorkQueue::Add(const std::string& key) {
  if (!RoomFor(key)) return false;
  Undelay(key);
  if (!dirty_.insert(key).second) {
    ++counters_.merged;
  } else if (!in_work_.contains(key)) {
    MakeReady(key);
  }
  return true;
}

bool WorkQueue::AddAfter(const std::string& key, absl::Duration delay) {
  if (delay <= absl::ZeroDuration()) return Add(key);
  if (!RoomFor(key)) return false;
  const absl::Duration at = executor_.Monotonic() + delay;
  if (const auto known = delay_of_.find(key); known != delay_of_.end()) {
    if (known->second.first <= at) return true;
    delayed_.erase(known->second);
  }
  const DelayKey slot{at, next_delay_++};
  delayed_.emplace(slot, key);
  delay_of_[key] = slot;
  ArmTimer();
  return true;
}

bool WorkQueue::AddRateLimited(const std::string& key, absl::Duration at_least,
                               absl::Duration pause_max) {
  if (!RoomFor(key)) return false;
  ++counters_.retries;
  const int failures = failures_[key]++;
  const absl::Duration most = std::min(options_.backoff_max, pause_max);
  const absl::Duration pause = Doubled(options_.backoff_initial, failures, most);
  return AddAfter(key, std::max({pause, at_least, retry_bucket_.Take()}));
}

void WorkQueue::Forget(const std::string& key) {
  failures_.erase(key);
}

void WorkQueue::Drop(const std::string& key) {
  Forget(key);
  Undelay(key);
}

int WorkQueue::failures(const std::string& key) const {
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second;
}

std::optional<std::string> WorkQueue::TryNext() {
  if (shut_down_ || ready_.empty()) return std::nullopt;
  std::string key = std::move(ready_.front().key);
  ready_.pop_front();
  dirty_.erase(key);
  in_work_.insert(key);
  ++counters_.taken;
  return key;
}

net::Awaitable<std::optional<std::string>> WorkQueue::Next() {
  while (!shut_down_) {
    if (std::optional<std::string> key = TryNext()) co_return key;
    const net::Promised<bool> woken(executor_);
    waiting_.push_back(woken);
    co_await woken.Wait();
  }
  co_return std::nullopt;
}

void WorkQueue::Done(const std::string& key) {
  if (in_work_.erase(key) > 0 && dirty_.contains(key)) MakeReady(key);
}

void WorkQueue::ShutDown() {
  shut_down_ = true;
  ready_.clear();
  dirty_.clear();
  delayed_.clear();
  delay_of_.clear();
  failures_.clear();
  executor_.CancelTimer(std::exchange(timer_, 0));
  for (const net::Promised<bool>& waiter : std::exchange(waiting_, {})) waiter.Set(true);
}

absl::Duration WorkQueue::oldest_wait() const {
  return ready_.empty() ? absl::ZeroDuration() : executor_.Monotonic() - ready_.front().since;
}

void WorkQueue::Undelay(const std::string& key) {
  const auto known = delay_of_.find(key);
  if (known == delay_of_.end()) return;
  delayed_.erase(known->second);
  delay_of_.erase(known);
}

void WorkQueue::ArmTimer() {
  if (delayed_.empty()) return;
  const absl::Duration first = delayed_.begin()->first.first;
  if (timer_ != 0 && timer_at_ <= first) return;
  executor_.CancelTimer(timer_);
  timer_at_ = first;
  timer_ = executor_.RunAfter(first - executor_.Monotonic(), [this] { OnTimer(); });
}

void WorkQueue::OnTimer() {
  timer_ = 0;
  while (!delayed_.empty() && delayed_.begin()->first.first <= executor_.Monotonic()) {
    const std::string key = delayed_.begin()->second;
    Add(key);
  }
  ArmTimer();
}

}  // namespace bth::client
