// vc-controller-manager from its flags to its exit code.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/server_contact.h"
#include "cmd/common/controller_flags.h"
#include "cmd/common/daemon_gauges.h"
#include "cmd/common/kept_controllers.h"
#include "cmd/common/leadership.h"
#include "cmd/common/page_servers.h"
#include "metrics/controller_metrics.h"
#include "metrics/registry.h"
#include "net/io_context.h"

namespace bth::cmd {

// Thread: the one that runs the loop. `io` outlives it.
class ControllerDaemon final {
 public:
  // Reads the kubeconfig and serves the pages. Errors say what to change.
  static absl::StatusOr<std::unique_ptr<ControllerDaemon>> Create(net::IoContext& io,
                                                                  const ControllerFlags& flags);

  // Runs until a signal or the loss of the lease; returns the exit code. An error says why the API
  // server can never be reached with this configuration.
  absl::StatusOr<int> Run();

 private:
  ControllerDaemon(net::IoContext& io, const ControllerFlags& flags);
  absl::Status Wire();
  // Lists and watches only from here on: candidates cost the API server nothing.
  void Act();
  void GiveUp(const absl::Status& why);
  void OnStopSignal();
  net::Awaitable<void> Stop();
  net::Awaitable<net::Response> Page(net::Request request);
  // What it lacks to be ready; empty: nothing.
  std::string Lacking() const;

  net::IoContext& io_;
  const ControllerFlags flags_;
  Rng rng_;
  // In order of building; they go in the reverse order, and that is the order of stopping.
  metrics::Registry registry_;
  metrics::ControllerMetrics metrics_{registry_};
  DaemonGauges gauges_;
  std::unique_ptr<client::ServerContact> contact_;
  std::unique_ptr<client::ApiClient> api_;
  std::unique_ptr<Leadership> leadership_;        // Null without election.
  std::unique_ptr<KeptControllers> controllers_;  // Null until we act.
  std::unique_ptr<PageServers> servers_;
  client::Background stop_;
  std::shared_ptr<void> escapes_;
  bool stopping_ = false;
  int exit_code_ = 0;
  absl::Status given_up_;
};

}  // namespace bth::cmd
