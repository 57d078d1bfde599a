// What the scheduler asks outside the cluster's API: node loads and extenders.
#pragma once

#include <functional>
#include <memory>

#include "cache/cluster/mirror.h"
#include "client/api_client.h"
#include "client/connection.h"
#include "conf/policy.h"
#include "framework/hooks/plugin.h"
#include "framework/session/extender_port.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/extender/client.h"
#include "scheduler/http_port.h"
#include "scheduler/node_load/poller.h"

namespace bth::scheduler {

// Thread: I/O, but for what `extender` gives, which the scheduling thread uses.
class Outside final {
 public:
  struct Context {
    net::Executor& executor;
    client::ApiClient& api;
    cache::Mirror& mirror;
    metrics::SchedulerMetrics* metrics = nullptr;  // May be null.
    client::TransportFactory transports;           // Null: over the network.
  };
  struct Hooks {
    std::function<void()> loads;  // New ones are in the mirror.
    // Loads cannot be measured any more; OK: they can again.
    std::function<void(const absl::Status&)> load_error;
  };
  // What these refer to outlives this object.
  Outside(Context context, Hooks hooks);

  // From now on asks what this policy needs. Resources that find no room among the dimensions are
  // named in a log line.
  void Adopt(const conf::Policy& policy, const framework::PluginNeeds& needs);
  framework::ExtenderPort& extender() { return extender_; }
  // Lets the scheduling thread go on at once, if it waits for an answer.
  void Interrupt() { http_.Interrupt(); }

 private:
  const Context context_;
  const client::TransportFactory transports_;
  BlockingHttp http_;
  extender::ExtenderClient extender_;
  node_load::LoadPoller poller_;
};

}  // namespace bth::scheduler
