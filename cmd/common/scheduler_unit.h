// A scheduler with what it stands on, as vc-scheduler and vc-standalone both need it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "client/api_client.h"
#include "client/background.h"
#include "framework/hooks/plugin.h"
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

// Lifetime: shorter than `api` and `metrics`; handlers of pages are not called after it.
// Thread: I/O, after whose loop has ended it is destroyed; the cycles run on a thread of its own.
class SchedulerUnit final {
 public:
  SchedulerUnit(client::ApiClient& api, Metrics& metrics, framework::Registry registry,
                scheduler::SchedulerOptions options);
  // Ends the cycle under way before anything goes that it may touch.
  ~SchedulerUnit();

  scheduler::Scheduler& scheduler() { return scheduler_; }
  // For everybody, and for those who may see what is scheduled (scheduler/debug_pages.h).
  // `last_error` as in scheduler/pages.h; outlives the handler.
  net::Handler pages(std::function<std::string()> last_error = nullptr);
  net::Handler debug_pages();
  // No new cycle; returns when what was decided is written, after `limit` at the latest.
  net::Awaitable<void> Drain(absl::Duration limit);
  // Writes the cluster as manifests (scheduler/cluster_dump.h) to `folder`/snapshot-<seconds>.json.
  void DumpCluster(const std::string& folder);
  // Writes the last cycle, as one JSON document per line, to `folder`/cycle-<seconds>.json.
  void DumpCycle(const std::string& folder);

 private:
  std::string DumpPath(const std::string& folder, std::string_view what) const;

  net::Executor& executor_;
  Metrics& metrics_;
  const framework::Registry registry_;
  const RealClock clock_;
  scheduler::ThreadRunner runner_{executor_.barrier()};
  scheduler::Scheduler scheduler_;
  client::Background dump_;
  const std::shared_ptr<void> escapes_;
};

// Why no dump can be written to `folder`; OK when one can, as far as can be told before.
absl::Status CheckDumpFolder(const std::string& folder);

// The plugins and actions that are compiled in, and those of the shared objects in `plugins_dir`.
absl::StatusOr<framework::Registry> MakeRegistry(const std::string& plugins_dir);
// The same with arguments that do nothing, as the feature gates among the options are.
framework::Registry WithIdleArguments(framework::Registry registry,
                                      const scheduler::SchedulerOptions& options);

}  // namespace bth::cmd
