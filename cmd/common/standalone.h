// vc-standalone: API server, simulated nodes, scheduler and controllers in one process, on one
// loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/api_server.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "cmd/common/flags.h"
#include "cmd/common/kept_controllers.h"
#include "cmd/common/log_flags.h"
#include "cmd/common/node_flags.h"
#include "cmd/common/scheduler_unit.h"
#include "cmd/common/state_folder.h"
#include "metrics/controller_metrics.h"
#include "net/io_context.h"
#include "net/server.h"
#include "nodesim/claim_controller.h"
#include "nodesim/simulator.h"
#include "nodesim/unserved_workloads.h"
#include "nodesim/volume_controller.h"

namespace bth::cmd {

struct StandaloneFlags {
  int64_t port = 0;
  bool insecure_http = false;
  std::string kubeconfig;  // Empty: in the data folder, or in /tmp.
  std::string data_dir;
  bool no_scheduler = false;
  bool no_controllers = false;
  bool agent_scheduler = false;
  bool no_volumes = false;
  bool admission = true;
  bool enable_page = true;
  std::string scheduler_conf;
  std::string plugins_dir;
  // Nobody else is there for pods that name no scheduler.
  std::vector<std::string> scheduler_names = {"volcano", "default-scheduler"};
  std::string listen_address = "127.0.0.1:0";
  std::string agent_listen_address = "127.0.0.1:0";
  std::string debug_bind_address = "127.0.0.1:0";
  LogFlags log;
  bool version = false;
  NodeFlags nodes;

  StandaloneFlags() { nodes.nodes.count = 4; }
  void AddTo(FlagSet& flags);
  absl::Status Check() const;
  std::vector<std::string> Notes() const { return log.Notes(); }
};

// Thread: the one that runs the loop. `io` outlives it.
class Standalone final {
 public:
  // Everything but the nodes is there when it returns: the API is served.
  static absl::StatusOr<std::unique_ptr<Standalone>> Create(net::IoContext& io,
                                                            const StandaloneFlags& flags);

  // Makes the nodes, tells how to connect, runs until a signal. Returns the exit code.
  int Run();

 private:
  Standalone(net::IoContext& io, const StandaloneFlags& flags, StateFolder state);
  absl::Status Wire();
  absl::Status StartApi();
  absl::Status Listen(const net::Handler& handler);
  absl::Status WriteKubeconfig();
  absl::Status StartScheduler();
  absl::Status StartAgentScheduler();
  absl::Status ServeSchedulerPages();
  void MakeControllers();
  std::unique_ptr<client::ApiClient> Client(const std::string& user_agent, Metrics& metrics);
  net::Awaitable<void> Welcome();
  net::Awaitable<void> AnnounceDebugPages();
  void OnStopSignal();
  net::Awaitable<void> Stop();

  net::IoContext& io_;
  const StandaloneFlags flags_;
  StateFolder state_;
  Rng rng_;
  std::string server_url_;
  std::string kubeconfig_;
  std::string debug_url_;
  // In order of building; they go in the reverse order, and that is the order of stopping: first
  // the servers, so that nobody asks any more; then who acts on the API; then the API itself.
  Metrics metrics_;
  metrics::ControllerMetrics controller_metrics_{metrics_.registry};
  Metrics agent_metrics_;  // Of the agent scheduler alone: two schedulers would mix their figures.
  std::unique_ptr<apiserver::ApiServer> api_server_;
  std::unique_ptr<client::ApiClient> scheduler_api_;
  std::unique_ptr<client::ApiClient> agent_api_;
  std::unique_ptr<client::ApiClient> controllers_api_;
  std::unique_ptr<client::ApiClient> nodes_api_;
  std::unique_ptr<nodesim::Simulator> nodes_;
  std::unique_ptr<nodesim::VolumeController> volumes_;
  std::unique_ptr<nodesim::ClaimController> claims_;
  // Null with --no-controllers, as the next.
  std::unique_ptr<nodesim::UnservedWorkloads> unserved_;
  std::unique_ptr<KeptControllers> controllers_;
  std::unique_ptr<SchedulerUnit> unit_;
  std::unique_ptr<SchedulerUnit> agent_unit_;  // Null without --agent-scheduler.
  std::unique_ptr<net::Server> pages_server_;
  std::unique_ptr<net::Server> agent_pages_server_;
  std::unique_ptr<net::Server> debug_server_;
  std::unique_ptr<net::Server> server_;
  client::Background welcome_;
  client::Background stop_;
  bool stopping_ = false;
  int exit_code_ = 0;
};

}  // namespace bth::cmd
