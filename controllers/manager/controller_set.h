// The controllers of one process, from their first list to their last write.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/event_recorder.h"
#include "controllers/core/controller.h"
#include "controllers/core/watches.h"
#include "controllers/manager/options.h"
#include "controllers/manager/tools.h"
#include "metrics/controller_metrics.h"

namespace bth::controllers {

// Made when the process begins to act, and destroyed when it must stop: whatever was under way is
// dropped, and the next set takes it up from what the API server has.
// Lifetime: `api`, `metrics` and `rng` outlive it. Thread: the executor's.
class ControllerSet final {
 public:
  ControllerSet(client::ApiClient& api, metrics::ControllerMetrics& metrics, Rng& rng,
                ManagerOptions options, ControllerTools tools);
  ControllerSet(const ControllerSet&) = delete;

  // Watches; the controllers act once all of what they watch is known.
  void Start();
  bool running() const { return running_; }
  std::vector<std::string> Unsynced() const { return watches_.Unsynced(); }
  std::vector<std::string> Missing() const { return watches_.Missing(); }
  bool idle() const;

 private:
  net::Awaitable<void> StartWhenSynced();

  const ManagerOptions options_;
  const ControllerTools tools_;
  net::Executor& executor_;
  client::EventRecorder events_;
  Watches watches_;
  ControllerContext context_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  bool running_ = false;
  client::Background start_;
};

}  // namespace bth::controllers
