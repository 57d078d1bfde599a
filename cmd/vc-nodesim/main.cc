// vc-nodesim: simulated kubelets for every Node of an API server.
#include <csignal>
#include <iostream>

#include "base/log.h"
#include "base/status.h"
#include "client/background.h"
#include "client/connect.h"
#include "client/kubeconfig.h"
#include "cmd/common/flags.h"
#include "cmd/common/node_flags.h"
#include "cmd/common/scheduler_flags.h"
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
  int64_t verbosity = 0;
  bool version = false;

  void AddTo(FlagSet& flags) {
    api.AddTo(flags);
    nodes.AddTo(flags);
    flags.Add("v", &verbosity, "Log level: from 4 every detail");
    flags.Add("version", &version, "Print the version and exit");
  }
  absl::Status Check() const {
    BTH_RETURN_IF_ERROR(api.Check());
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

absl::StatusOr<int> Run(const Flags& flags) {
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  BTH_ASSIGN_OR_RETURN(const client::ClientConfig config,
                       client::LoadClientConfig(flags.api.Sources()));
  client::ApiClientOptions options;
  options.user_agent = UserAgent("vc-nodesim");
  options.qps = flags.api.qps;
  options.burst = static_cast<int>(flags.api.burst);
  net::ClientOptions pool;
  pool.connections_max = kRequestsMax;
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<client::ApiClient> api,
                       client::Connect(*io, config, std::move(options), std::move(pool)));
  Rng rng(static_cast<uint64_t>(absl::ToUnixNanos(io->Now())));
  nodesim::SimulatorOptions simulated;
  simulated.timing = flags.nodes.timing;
  simulated.lanes = kRequestsMax;
  int exit_code = 0;
  // They go in the reverse order, before the connections they use.
  nodesim::Simulator simulator(*api, rng, simulated);
  client::Background nodes;
  io->OnSignals({SIGTERM, SIGINT}, [&io](int) { io->Stop(); });
  simulator.Start();
  nodes.Start(*io, MakeNodes(*api, flags.nodes.nodes, *io, &exit_code));
  io->Run();
  return exit_code;
}

int Main(int argc, char** argv) {
  FlagSet flag_set("vc-nodesim", "Runs bound pods as kubelets would, without running anything.");
  Flags flags;
  flags.AddTo(flag_set);
  const FlagSet::Outcome parsed = flag_set.Parse(argc, argv, std::cerr);
  if (!parsed.run) return parsed.exit_code;
  if (flags.version) {
    std::cout << VersionText();
    return 0;
  }
  if (flags.verbosity >= 4) SetLogLevel(LogLevel::kDebug);
  std::signal(SIGPIPE, SIG_IGN);
  absl::Status status = flags.Check();
  if (status.ok()) {
    const absl::StatusOr<int> exit_code = Run(flags);
    if (exit_code.ok()) return *exit_code;
    status = exit_code.status();
  }
  std::cerr << "vc-nodesim: " << status.message() << "\n";
  return 1;
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::Main(argc, argv);
}
