// vc-nodesim: simulated kubelets for every Node of an API server.
#include <csignal>
#include <iostream>

#include "base/status.h"
#include "client/background.h"
#include "client/client_config.h"
#include "client/connect.h"
#include "cmd/common/daemon_client.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/flags.h"
#include "cmd/common/log_flags.h"
#include "cmd/common/node_flags.h"
#include "cmd/common/program.h"
#include "cmd/common/version.h"
#include "net/io_context.h"
#include "nodesim/simulator.h"

namespace bth::cmd {
namespace {

constexpr absl::Duration kNodesPatience = absl::Minutes(2);
constexpr int kRequestsMax = 32;  // In flight; each of them takes a connection.

struct Flags {
  ApiFlags api;
  NodeFlags nodes;
  LogFlags log;
  bool version = false;

  Flags() {
    api.qps = 2000;
    api.burst = 2000;
  }
  void AddTo(FlagSet& flags) {
    api.AddTo(flags);
    nodes.AddTo(flags);
    log.AddTo(flags);
    flags.Add("version", &version, "Print the version and exit");
  }
  std::vector<std::string> Notes() const { return log.Notes(); }
  absl::Status Check() const {
    BTH_RETURN_IF_ERROR(api.Check());
    BTH_RETURN_IF_ERROR(log.Check());
    return nodes.Check();
  }
};

net::Awaitable<void> MakeNodes(client::ApiClient& api, nodesim::NodeTemplate nodes,
                               net::IoContext& io, int* exit_code) {
  const absl::Status status = co_await nodesim::EnsureNodes(api, nodes, kNodesPatience);
  if (status.ok()) {
    std::cout << "ready" << std::endl;
    co_return;
  }
  std::cerr << "vc-nodesim: " << status.message() << "\n";
  *exit_code = 1;
  io.Stop();
}

absl::StatusOr<int> Run(net::IoContext& io, const Flags& flags) {
  BTH_ASSIGN_OR_RETURN(const client::ClientConfig config, ChooseServer(flags.api));
  client::ApiClientOptions options;
  options.user_agent = UserAgent("vc-nodesim");
  options.qps = flags.api.qps;
  options.burst = static_cast<int>(flags.api.burst);
  net::ClientOptions pool;
  pool.connections_max = kRequestsMax;
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<client::ApiClient> api,
                       client::Connect(io, config, std::move(options), std::move(pool)));
  Rng rng(static_cast<uint64_t>(absl::ToUnixNanos(io.Now())));
  nodesim::SimulatorOptions simulated = flags.nodes.Options();
  simulated.lanes = kRequestsMax;
  int exit_code = 0;
  // They go in the reverse order, before the connections they use.
  nodesim::Simulator simulator(*api, rng, simulated);
  client::Background nodes;
  io.OnSignals({SIGTERM, SIGINT}, [&io](int) { io.Stop(); });
  simulator.Start();
  nodes.Start(io, MakeNodes(*api, flags.nodes.nodes, io, &exit_code));
  io.Run();
  return exit_code;
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::RunProgram<bth::cmd::Flags>(
      {"vc-nodesim", "Runs bound pods as kubelets would, without running anything."}, argc, argv,
      bth::cmd::Run);
}
