// A whole cluster without faults: API server, scheduler, controllers and kubelets of the daemons in
// one process, on virtual time, with nothing between them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/types/json.h"
#include "apiserver/api_server.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "controllers/manager/controller_set.h"
#include "framework/hooks/plugin.h"
#include "metrics/controller_metrics.h"
#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "net/executor_clock.h"
#include "nodesim/simulator.h"
#include "scheduler/cycle_thread.h"
#include "scheduler/scheduler.h"
#include "sim/world/timeline.h"

namespace bth::trace {

struct TraceClusterOptions {
  absl::Time start;  // Of virtual time.
  uint64_t seed = 1;
  std::string policy_path;                        // Empty: the built-in policy.
  const framework::Registry* registry = nullptr;  // Outlives the cluster.
  // Extends the server, such as with the product's own admission. May be empty.
  std::function<void(apiserver::ApiServer&)> extend;
  // Everything that is written, right after it was.
  std::function<void(const apiserver::Collection&, const apiserver::StoreEvent&)> on_event;
  // The scheduler evicted the pod of that name.
  std::function<void(std::string_view pod)> on_eviction;
};

// Thread: one.
class TraceCluster final {
 public:
  // The server alone. Errors: the policy cannot be used.
  static absl::StatusOr<std::unique_ptr<TraceCluster>> Create(TraceClusterOptions options);
  ~TraceCluster();
  TraceCluster(const TraceCluster&) = delete;

  struct Answer {
    int code = 0;
    types::Json body;
  };
  // A user's request, at once.
  Answer Call(const std::string& method, const std::string& target, const std::string& body);
  // From now on somebody acts on what is there.
  void StartPrograms();
  // False: a moment without end.
  bool RunUntil(absl::Duration end) { return timeline_.RunUntil(end); }

  absl::Duration now() const { return timeline_.Elapsed(); }
  apiserver::ApiServer& server() { return *server_; }
  uint64_t cycles() const { return scheduler_.cycles(); }
  uint64_t requests() const { return requests_; }
  // What the scheduler found to be wrong with itself; empty: nothing.
  std::string complaint() const;

 private:
  explicit TraceCluster(TraceClusterOptions options);
  absl::Status StartServer();
  std::unique_ptr<client::ApiClient> Connect(const char* program);

  const TraceClusterOptions options_;
  Rng rng_;
  sim::Timeline timeline_;
  std::shared_ptr<sim::Process> process_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<net::Transport> transport_;
  uint64_t requests_ = 0;
  metrics::Registry registry_;
  metrics::SchedulerMetrics scheduler_metrics_{registry_};
  metrics::ControllerMetrics controller_metrics_{registry_};
  const net::ExecutorClock clock_;
  scheduler::InlineRunner runner_;
  const std::unique_ptr<client::ApiClient> scheduler_api_;
  const std::unique_ptr<client::ApiClient> controllers_api_;
  const std::unique_ptr<client::ApiClient> nodes_api_;
  scheduler::Scheduler scheduler_;
  controllers::ControllerSet controllers_;
  nodesim::Simulator nodes_;
};

}  // namespace bth::trace
