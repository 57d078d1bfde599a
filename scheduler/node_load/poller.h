// Asks the source of node loads again and again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/model/node_load.h"
#include "client/background.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/node_load/source.h"

namespace bth::scheduler::node_load {

// A round that fails, and values that no node can have, are counted, logged once for each text, and
// leave the old values as they are: they age, and plugins stop trusting them. Nothing here ever
// keeps a cycle waiting. Thread: the executor's.
class LoadPoller final {
 public:
  struct Hooks {
    std::function<std::vector<std::string>()> nodes;                             // Names now.
    std::function<void(std::shared_ptr<const model::NodeLoads> loads)> publish;  // Null: no source.
    // Failure begins, for this reason; OK: it is over. May be null.
    std::function<void(const absl::Status&)> error = nullptr;
  };
  // What `context` refers to outlives the poller; `metrics` may be null.
  LoadPoller(SourceContext context, metrics::SchedulerMetrics* metrics, Hooks hooks);
  ~LoadPoller();

  // From now on asks as these settings say. The same settings as before change nothing; other ones
  // forget what was measured.
  void Configure(const LoadSettings& settings);

 private:
  net::Awaitable<void> Poll();
  void Take(Reading reading, const std::vector<std::string>& nodes);
  void Complain(const absl::Status& status);
  void SetError(const absl::Status& status);

  const SourceContext context_;
  metrics::SchedulerMetrics* const metrics_;
  const Hooks hooks_;
  LoadSettings settings_;
  absl::Duration interval_;
  std::unique_ptr<LoadSource> source_;  // Null: none is configured.
  std::shared_ptr<const model::NodeLoads> loads_;
  std::string complaint_;  // Of the last round; empty: it went well.
  bool failing_ = false;
  client::Background polling_;
};

}  // namespace bth::scheduler::node_load
