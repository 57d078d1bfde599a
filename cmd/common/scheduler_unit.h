// A scheduler with what it stands on, as vc-scheduler and vc-standalone both need it.
#pragma once

#include <string>

#include "base/clock.h"
#include "client/api_client.h"
#include "framework/plugin.h"
#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "net/awaitable.h"
#include "net/http.h"
#include "scheduler/cycle_thread.h"
#include "scheduler/scheduler.h"

namespace bth::cmd {

// The metrics of a process; outlives everything that counts.
struct Metrics {
  metrics::Registry registry;
  metrics::SchedulerMetrics scheduler{registry};
};

// What an ApiClient calls after each request. `host` is the server's name in the metrics.
std::function<void(const client::CallRecord&)> CountCalls(metrics::ClientMetrics& metrics,
                                                          std::string host);

// Lifetime: shorter than `api` and `metrics`; handlers of `pages` are not called after it.
// Thread: I/O, after whose loop has ended it is destroyed; the cycles run on a thread of its own.
class SchedulerUnit final {
 public:
  SchedulerUnit(client::ApiClient& api, Metrics& metrics, scheduler::SchedulerOptions options);
  // Ends the cycle under way before anything goes that it may touch.
  ~SchedulerUnit();

  scheduler::Scheduler& scheduler() { return scheduler_; }
  net::Handler pages();
  // No new cycle; returns when what was decided is written, after `limit` at the latest.
  net::Awaitable<void> Drain(absl::Duration limit);
  // Writes the last cycle, as one JSON document per line, to `folder`/snapshot-<seconds>.json.
  void Dump(const std::string& folder);

 private:
  static framework::Registry Builtin();

  net::Executor& executor_;
  Metrics& metrics_;
  const framework::Registry registry_;
  const RealClock clock_;
  scheduler::ThreadRunner runner_;
  scheduler::Scheduler scheduler_;
};

}  // namespace bth::cmd
