// vc-scheduler and vc-agent-scheduler from their flags to their exit code.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/server_contact.h"
#include "cmd/common/agent_scheduler_flags.h"
#include "cmd/common/daemon_gauges.h"
#include "cmd/common/debug_server.h"
#include "cmd/common/leadership.h"
#include "cmd/common/log_level_server.h"
#include "cmd/common/page_servers.h"
#include "cmd/common/scheduler_flags.h"
#include "cmd/common/scheduler_unit.h"
#include "net/io_context.h"

namespace bth::cmd {

// What the one and the other want.
struct SchedulerSetup {
  std::string program;
  SchedulerCommonFlags common;
  std::vector<std::string> scheduler_names;
  struct Parts {
    framework::Registry registry;
    scheduler::SchedulerOptions options;
  };
  std::function<absl::StatusOr<Parts>(Metrics& metrics, uint64_t seed)> make;

  static SchedulerSetup Of(const SchedulerFlags& flags);
  static SchedulerSetup Of(const AgentSchedulerFlags& flags);
};

// Thread: the one that runs the loop. `io` outlives it.
class SchedulerDaemon final {
 public:
  // Reads kubeconfig and policy, and serves the pages. Errors say what to change.
  static absl::StatusOr<std::unique_ptr<SchedulerDaemon>> Create(net::IoContext& io,
                                                                 SchedulerSetup setup);

  // Runs until a signal or the loss of the lease; returns the exit code. An error says why the API
  // server can never be reached with this configuration.
  absl::StatusOr<int> Run();

 private:
  SchedulerDaemon(net::IoContext& io, SchedulerSetup setup);
  absl::Status Wire();
  absl::Status ServeDebugPages(const client::ClientConfig& config);
  void JoinElection(std::unique_ptr<client::ApiClient> lease_api);
  void Lead();
  bool MayAct() const { return leadership_ != nullptr && leadership_->is_leader(); }
  void GiveUp(const absl::Status& why);
  void OnStopSignal();
  net::Awaitable<void> Stop();

  net::IoContext& io_;
  const SchedulerSetup setup_;
  const SchedulerCommonFlags& flags_;  // Of the setup.
  Rng rng_;
  // In order of building; they go in the reverse order, and that is the order of stopping: first
  // the pages, which ask the scheduler; then the scheduler, which writes through `api_`; the
  // election; then the connections.
  Metrics metrics_;
  DaemonGauges gauges_;
  std::unique_ptr<client::ServerContact> contact_;
  std::unique_ptr<client::ApiClient> api_;
  std::unique_ptr<Leadership> leadership_;  // Null without election.
  std::unique_ptr<SchedulerUnit> unit_;
  std::unique_ptr<PageServers> servers_;
  std::unique_ptr<DebugServer> debug_;         // Null when the debug pages are not served.
  std::unique_ptr<LogLevelServer> log_level_;  // Null when its socket cannot be made.
  client::Background stop_;
  bool stopping_ = false;
  int exit_code_ = 0;
  absl::Status given_up_;
};

}  // namespace bth::cmd
