// What every controller is given, and what it offers to the process that runs it.
#pragma once

#include <string_view>

#include "base/rng.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "controllers/core/watches.h"
#include "controllers/manager/options.h"
#include "metrics/controller_metrics.h"

namespace bth::controllers {

// All outlive the controllers.
struct ControllerContext {
  client::ApiClient& api;
  Watches& watches;
  client::EventRecorder& events;
  metrics::ControllerMetrics& metrics;
  Rng& rng;
  const ManagerOptions& options;

  net::Executor& executor() const { return api.executor(); }
  absl::Time now() const { return api.executor().Now(); }
};

// Subscribes to stores in its constructor, before their watches start, and acts from Start on, when
// all of them have synced. Destruction ends what it does at once: every step can be taken up again
// by the next process. Thread: the executor's.
class Controller {
 public:
  virtual ~Controller() = default;
  // As in --controllers.
  virtual std::string_view name() const = 0;
  virtual void Start() = 0;
  // Nothing is to be done at this moment; what waits for a time does not count.
  virtual bool idle() const = 0;
};

}  // namespace bth::controllers
