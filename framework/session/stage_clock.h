// How long the passes over all nodes take that choose one for a task.
#pragma once

#include "absl/time/time.h"
#include "base/clock.h"
#include "framework/session/session.h"
#include "metrics/scheduler_metrics.h"

namespace bth::framework {

// Begins with its construction; without metrics it does nothing. Thread: scheduling.
class StageClock {
 public:
  explicit StageClock(const Session& session)
      : clock_(*session.context().clock), metrics_(session.context().metrics) {
    if (metrics_ != nullptr) mark_ = clock_.Monotonic();
  }
  // What began with the last call, or with this object, is through.
  void Ended(metrics::Stage stage) {
    if (metrics_ == nullptr) return;
    const absl::Duration now = clock_.Monotonic();
    metrics_->StageDone(stage, now - mark_);
    mark_ = now;
  }

 private:
  const Clock& clock_;
  metrics::SchedulerMetrics* const metrics_;
  absl::Duration mark_;
};

}  // namespace bth::framework
