#include "controllers/manager/controller_set.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "controllers/manager/builtin.h"
#include "controllers/manager/selection.h"

namespace bth::controllers {
namespace {

// Between warnings; nothing is done on half a cluster.
constexpr absl::Duration kSyncPatience = absl::Seconds(60);

client::EventRecorderOptions EventOptions() {
  client::EventRecorderOptions options;
  options.component = "vc-controller-manager";
  return options;
}

}  // namespace

ControllerSet::ControllerSet(client::ApiClient& api, metrics::ControllerMetrics& metrics, Rng& rng,
                             ManagerOptions options, ControllerTools tools)
    : options_(std::move(options)),
      tools_(std::move(tools)),
      executor_(api.executor()),
      events_(api, rng, EventOptions()),
      watches_(api, rng, metrics.client()),
      context_{api, watches_, events_, metrics, rng, options_} {
  for (const BuiltinController& builtin : BuiltinControllers()) {
    if (!IsSelected(builtin.name, options_.controllers)) continue;
    controllers_.push_back(builtin.make(context_, tools_));
  }
}

void ControllerSet::Start() {
  watches_.StartAll();
  start_.Start(executor_, StartWhenSynced());
}

net::Awaitable<void> ControllerSet::StartWhenSynced() {
  for (;;) {
    const absl::Status synced = co_await watches_.WaitForSync(kSyncPatience);
    if (synced.ok()) break;
    Log(LogLevel::kWarning, "controllers.not_synced", {{"status", synced}});
  }
  for (const auto& controller : controllers_) {
    Log(LogLevel::kInfo, "controller.started", {{"controller", controller->name()}});
    controller->Start();
  }
  running_ = true;
}

bool ControllerSet::idle() const {
  return running_ && std::all_of(controllers_.begin(), controllers_.end(),
                                 [](const auto& controller) { return controller->idle(); });
}

}  // namespace bth::controllers
