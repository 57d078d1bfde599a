// Bindings or evictions that wait: for a lane, or for the time of their next attempt.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "cache/cluster/mirror.h"
#include "cache/writes/lanes.h"
#include "cache/writes/urgent_pod.h"
#include "client/event_recorder.h"
#include "client/parking.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

// How many bindings and evictions wait for a connection, and how many for their time.
// Thread: I/O.
class UrgentCounts {
 public:
  explicit UrgentCounts(metrics::SchedulerMetrics* metrics) : metrics_(metrics) {}  // May be null.
  void Queued(int64_t added) {
    queued_ += added;
    if (metrics_ != nullptr) metrics_->SetEffectQueueDepth(queued_);
  }
  void Parked(int64_t added) {
    parked_ += added;
    if (metrics_ != nullptr) metrics_->SetEffectsParked(parked_);
  }

 private:
  metrics::SchedulerMetrics* const metrics_;
  int64_t queued_ = 0;
  int64_t parked_ = 0;
};

// What the writers of bindings and of evictions work with. All of it outlives them.
struct UrgentParts {
  client::ApiClient& api;
  Mirror& mirror;
  client::EventRecorder& events;
  metrics::SchedulerMetrics* metrics;  // May be null.
  Lanes& lanes;
  UrgentCounts& counts;
  AttemptOptions attempts;
};

// T is an UrgentPod. What is parked comes back through `resume` when its time is over.
// Thread: I/O.
template <typename T>
class UrgentQueue {
 public:
  UrgentQueue(const UrgentParts& parts, std::function<void(T item)> resume)
      : parts_(parts),
        resume_(std::move(resume)),
        parked_(parts.api.executor(), [this](T item) { Resume(std::move(item)); }) {}

  void Add(T item) {
    ready_.push_back(std::move(item));
    parts_.counts.Queued(+1);
    parts_.lanes.Wake();
  }
  bool empty() const { return ready_.empty(); }
  // Requires one.
  T Take() {
    T item = std::move(ready_.front());
    ready_.pop_front();
    parts_.counts.Queued(-1);
    return item;
  }
  // The item is moved from, and settled: the queue goes on with it.
  void Park(T& item, absl::Duration delay) {
    parked_.Park(std::move(item), delay);
    item.settled = true;  // NOLINT(bugprone-use-after-move): told to whoever still has the shell.
    parts_.counts.Parked(+1);
  }
  // After an answer by which nothing happened that the next attempt would not find; most often the
  // server wants us to slow down. False: it was tried often enough.
  bool TryLater(T& item, const absl::Status& status) {
    if (absl::IsResourceExhausted(status)) {
      const absl::Duration asked = client::RetryAfter(status).value_or(absl::ZeroDuration());
      parts_.lanes.NoteBusy(item.key(), std::max(asked, parts_.attempts.retry.first));
    }
    const auto pause = parts_.attempts.NextAttempt(++item.attempts, status);
    if (pause) {
      Park(item, *pause);
    } else if (parts_.metrics != nullptr) {
      parts_.metrics->LimitReached("effect_attempts");
    }
    return pause.has_value();
  }
  // Those that are parked and of which `wanted` says so come back now. Cost: the number of all.
  template <typename Wanted>
  void ResumeIf(const Wanted& wanted) {
    for (T& item : parked_.TakeIf(wanted)) Resume(std::move(item));
  }
  size_t parked() const { return parked_.size(); }

 private:
  void Resume(T item) {
    parts_.counts.Parked(-1);
    resume_(std::move(item));
  }

  const UrgentParts parts_;
  const std::function<void(T item)> resume_;
  std::deque<T> ready_;
  client::Parking<T> parked_;
};

}  // namespace bth::cache
