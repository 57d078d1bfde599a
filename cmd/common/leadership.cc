#include "cmd/common/leadership.h"

#include <unistd.h>

#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::cmd {
namespace {

// "<hostname>_<uuid>": unique among candidates, and tells people where it runs.
std::string MakeIdentity() {
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  const std::string hex = net::RandomHex(16);
  return StrCat(host, "_", hex.substr(0, 8), "-", hex.substr(8, 4), "-4", hex.substr(13, 3), "-a",
                hex.substr(17, 3), "-", hex.substr(20));
}

}  // namespace

Leadership::Leadership(std::unique_ptr<client::ApiClient> api, Rng& rng, const LeaderFlags& flags,
                       std::string component, LeadershipHooks hooks)
    : api_(std::move(api)), election_(flags.Election(MakeIdentity())), hooks_(std::move(hooks)) {
  client::EventRecorderOptions recorder;
  recorder.component = std::move(component);
  events_ = std::make_unique<client::EventRecorder>(*api_, rng, std::move(recorder));
  client::LeaderElectionOptions options = election_;
  options.on_started = [this] {
    if (stopping_) return;
    Log(LogLevel::kInfo, "leader.started", {{"identity", election_.identity}});
    Announce("became leader");
    hooks_.on_started();
  };
  options.on_lost = [this] {
    if (stopping_) return;
    Log(LogLevel::kError, "leaderelection lost",
        {{"identity", election_.identity}, {"last_error", elector_->last_error()}});
    hooks_.on_lost();
  };
  options.on_leader = [](const std::string& leader) {
    Log(LogLevel::kInfo, "leader.observed", {{"leader", leader}});
  };
  elector_ = std::make_unique<client::LeaderElector>(*api_, rng, std::move(options));
}

void Leadership::Announce(std::string_view what) {
  events_->Record(
      {"coordination.k8s.io/v1", "Lease", election_.namespace_name, election_.lease_name, ""},
      {"Normal", "LeaderElection", StrCat(election_.identity, " ", what)});
}

net::Awaitable<void> Leadership::Stop() {
  stopping_ = true;
  if (elector_->is_leader()) Announce("stopped leading");
  co_await elector_->Stop();
}

}  // namespace bth::cmd
