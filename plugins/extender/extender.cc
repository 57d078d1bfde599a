#include <string>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/extender/conversation.h"
#include "plugins/extender/line.h"
#include "plugins/extender/options.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;

// Keeps the line between sessions. Thread: scheduling.
class Extender final : public framework::Plugin {
 public:
  explicit Extender(extender::Options options) : options_(std::move(options)), line_(options_) {}
  std::string_view name() const override { return extender::kName; }
  // Nobody tells when an extender that was silent answers again.
  bool follows_clock() const override { return !options_.verbs.none(); }
  void AddNeeds(framework::PluginNeeds& needs) const override {
    needs.documents |= !options_.verbs.none();
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    if (options_.verbs.none()) return absl::OkStatus();
    framework::ExtenderPort* port = session.context().extender;
    if (port == nullptr) return WithoutPort();
    session.Keep<extender::Conversation>(options_, line_, *port, session).AddHooks(hooks);
    return absl::OkStatus();
  }

 private:
  absl::Status WithoutPort() {
    constexpr std::string_view kWhy = "no extender can be asked here";
    if (!options_.ignorable) {
      return absl::FailedPreconditionError(
          StrCat(std::string(kWhy), "; set extender.ignorable: true to decide without it"));
    }
    if (!said_no_port_) {
      Log(LogLevel::kWarning, "extender.left_out", {{"url", options_.url}, {"reason", kWhy}});
    }
    said_no_port_ = true;
    return absl::OkStatus();
  }

  const extender::Options options_;
  extender::Line line_;
  bool said_no_port_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateExtender(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(extender::Options options, extender::ReadOptions(args));
  return std::make_unique<Extender>(std::move(options));
}

}  // namespace bth::plugins
