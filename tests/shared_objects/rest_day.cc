// An action and a plugin in one shared object; the plugin has a built-in name.
#include <memory>

#include "framework/hooks/plugin_abi.h"

namespace {

class RestDay final : public bth::framework::Action {
 public:
  std::string_view name() const override { return "restday"; }
  absl::Status Execute(bth::framework::Session& session) override {
    // Takes every job that waits out of this cycle, in words that a test can find.
    for (const bth::model::JobId job : *session.base().active_jobs) {
      session.notes().HoldAt(job, bth::framework::Gate::kFilters, "restday", "nobody works today");
    }
    return absl::OkStatus();
  }
};

// Stands in for the built-in plugin of that name, and does nothing.
class NoNodeOrder final : public bth::framework::Plugin {
 public:
  std::string_view name() const override { return "nodeorder"; }
  absl::Status OnSessionOpen(bth::framework::Session&, bth::framework::HookRegistrar&) override {
    return absl::OkStatus();
  }
};

}  // namespace

BTH_PLUGIN_ENTRY(registry) {
  registry.actions["restday"] = [](const bth::conf::Arguments&) {
    return absl::StatusOr<std::unique_ptr<bth::framework::Action>>(std::make_unique<RestDay>());
  };
  registry.plugins["nodeorder"] = [](const bth::conf::Arguments&) {
    return absl::StatusOr<std::unique_ptr<bth::framework::Plugin>>(std::make_unique<NoNodeOrder>());
  };
}
