// A daemon's part in the election of its leader.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "client/leader_election.h"
#include "cmd/common/daemon_flags.h"

namespace bth::cmd {

struct LeadershipHooks {
  std::function<void()> on_started;
  // Somebody else may lead already: not one more write may follow.
  std::function<void()> on_lost;
};

// Lifetime: `rng` outlives it. Thread: I/O.
class Leadership final {
 public:
  // `api` serves the lease alone, so that renewals do not wait behind other requests. `component`
  // names the daemon in events.
  Leadership(std::unique_ptr<client::ApiClient> api, Rng& rng, const LeaderFlags& flags,
             std::string component, LeadershipHooks hooks);

  void Start() { elector_->Start(); }
  // By the clock, not by what was told: a process that slept may have lost the lease unnoticed.
  bool is_leader() const { return elector_->is_leader(); }
  // Gives the lease back; no hook is called any more.
  net::Awaitable<void> Stop();

 private:
  void Announce(std::string_view what);

  const std::unique_ptr<client::ApiClient> api_;
  const client::LeaderElectionOptions election_;
  const LeadershipHooks hooks_;
  bool stopping_ = false;
  std::unique_ptr<client::EventRecorder> events_;
  std::unique_ptr<client::LeaderElector> elector_;
};

}  // namespace bth::cmd
