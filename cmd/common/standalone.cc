#include "cmd/common/standalone.h"

#include <unistd.h>

#include <csignal>
#include <iostream>
#include <utility>

#include "admission/rules/known.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "cmd/common/agent_scheduler.h"
#include "cmd/common/agent_scheduler_flags.h"
#include "cmd/common/announced_service.h"
#include "cmd/common/container_logs.h"
#include "cmd/common/controller_tools.h"
#include "cmd/common/daemon_client.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/embedded_crds.h"
#include "cmd/common/endpoint.h"
#include "cmd/common/own_admission.h"
#include "cmd/common/page_servers.h"
#include "cmd/common/private_file.h"
#include "cmd/common/program.h"
#include "cmd/common/version.h"
#include "page/page.h"

namespace bth::cmd {
namespace {

// Nothing leaves the process, so that what is under way is through almost at once.
constexpr absl::Duration kStandaloneDrainMax = absl::Seconds(2);
constexpr absl::Duration kNodesPatience = absl::Seconds(60);

// The server's own programs come without a socket, and show the same token as everybody.
net::Handler WithToken(net::Handler handler, const std::string& token) {
  return [handler = std::move(handler), bearer = "Bearer " + token](net::Request request) {
    request.headers.Set("Authorization", bearer);
    return handler(std::move(request));
  };
}

}  // namespace

void StandaloneFlags::AddTo(FlagSet& flags) {
  flags.Add("port", &port, "Where the API is served on loopback; 0: the last one, or any");
  flags.Add("insecure-http", &insecure_http, "Serve the API without TLS");
  flags.Add("write-kubeconfig", &kubeconfig,
            "Write a kubeconfig there; without it: in --data-dir, or in /tmp");
  flags.Add("data-dir", &data_dir, "Keep all state there; without it, in memory");
  flags.Add("no-scheduler", &no_scheduler, "Leave scheduling to somebody else");
  flags.Add("no-controllers", &no_controllers,
            "Leave batch jobs, pod groups and queues to somebody else");
  flags.Add("agent-scheduler", &agent_scheduler,
            "Place pods with schedulerName agent-scheduler, each for itself, as vc-agent-scheduler "
            "does");
  flags.Add("no-volumes", &no_volumes,
            "Leave volumes, and claims of volumes and devices, to somebody else");
  flags.Add("admission", &admission,
            "Fill in and check jobs, queues and pod groups as vc-webhook-manager does");
  flags.Add("enable-page", &enable_page, "Serve the web page at /ui/, beside the API");
  flags.Add("scheduler-conf", &scheduler_conf, "File with the scheduling policy");
  flags.Add("plugins-dir", &plugins_dir, "Folder of shared objects with further plugins");
  flags.AddRepeated("scheduler-name", &scheduler_names, "Serve pods with this schedulerName");
  flags.Add("listen-address", &listen_address, "Where health and metrics are served");
  flags.Add("agent-listen-address", &agent_listen_address,
            "Where health and metrics of the agent scheduler are served");
  flags.Add("debug-bind-address", &debug_bind_address,
            "Where the scheduler's debug pages are served, on loopback only");
  nodes.AddTo(flags);
  log.AddTo(flags);
  flags.Add("version", &version, "Print the version and exit");
}

absl::Status StandaloneFlags::Check() const {
  BTH_RETURN_IF_ERROR(log.Check());
  if (port < 0 || port > 65535) {
    return absl::InvalidArgumentError("--port: must be between 0 and 65535");
  }
  for (const std::string& name : scheduler_names) {
    if (name.empty()) return absl::InvalidArgumentError("--scheduler-name: must not be empty");
  }
  if (!agent_scheduler && agent_listen_address != "127.0.0.1:0") {
    return RefusedFlag("agent-listen-address",
                       "there is no agent scheduler: add --agent-scheduler");
  }
  const absl::StatusOr<Endpoint> debug = ParseEndpoint(debug_bind_address);
  if (!debug.ok()) return RefusedFlag("debug-bind-address", ToStd(debug.status().message()));
  if (!IsLoopback(*debug)) {
    return RefusedFlag("debug-bind-address", "must be on loopback: nobody is asked who they are");
  }
  return nodes.Check();
}

Standalone::Standalone(net::IoContext& io, const StandaloneFlags& flags, StateFolder state)
    : io_(io), flags_(flags), state_(std::move(state)), rng_(RandomSeed()) {}

absl::StatusOr<std::unique_ptr<Standalone>> Standalone::Create(net::IoContext& io,
                                                               const StandaloneFlags& flags) {
  BTH_ASSIGN_OR_RETURN(StateFolder state, StateFolder::Open(flags.data_dir, io.Now()));
  std::unique_ptr<Standalone> made(new Standalone(io, flags, std::move(state)));
  BTH_RETURN_IF_ERROR(made->Wire());
  return made;
}

absl::Status Standalone::Wire() {
  BTH_RETURN_IF_ERROR(StartApi());
  if (!flags_.no_scheduler) BTH_RETURN_IF_ERROR(StartScheduler());
  if (flags_.agent_scheduler) BTH_RETURN_IF_ERROR(StartAgentScheduler());
  if (!flags_.no_controllers) MakeControllers();
  nodes_api_ = Client("nodesim", metrics_);
  nodes_ = std::make_unique<nodesim::Simulator>(*nodes_api_, rng_, flags_.nodes.Options());
  if (!flags_.no_volumes) {
    volumes_ = std::make_unique<nodesim::VolumeController>(*nodes_api_, rng_,
                                                           nodesim::VolumeControllerOptions());
    claims_ = std::make_unique<nodesim::ClaimController>(*nodes_api_, rng_,
                                                         nodesim::ClaimControllerOptions());
  }
  const net::Handler api = api_server_->handler();
  BTH_RETURN_IF_ERROR(Listen(flags_.enable_page ? page::WithPage(api) : api));
  return WriteKubeconfig();
}

absl::Status Standalone::StartApi() {
  apiserver::Options options;
  options.store.data_dir = state_.store();
  BTH_ASSIGN_OR_RETURN(options.crds, EmbeddedCrds());
  apiserver::User admin;
  admin.name = "admin";
  admin.groups = {"system:masters", "system:authenticated"};
  options.tokens.emplace(state_.token(), std::move(admin));
  options.log_source = LogsOfSimulatedContainers();
  auto server = apiserver::ApiServer::Create(io_, std::move(options));
  if (!server.ok()) return Annotate(server.status(), "API server");
  api_server_ = *std::move(server);
  if (!flags_.admission) return absl::OkStatus();
  admission::Settings settings;
  settings.scheduler_names = flags_.scheduler_names;
  AddOwnAdmission(*api_server_, std::move(settings));
  return absl::OkStatus();
}

std::unique_ptr<client::ApiClient> Standalone::Client(const std::string& user_agent,
                                                      Metrics& metrics) {
  client::ApiClientOptions options;
  options.user_agent = UserAgent(user_agent);
  options.qps = 0;
  options.on_call = CountCalls(metrics.scheduler.client(), "in-process");
  std::shared_ptr<net::Transport> transport =
      net::MakeInProcessTransport(io_, WithToken(api_server_->handler(), state_.token()));
  return std::make_unique<client::ApiClient>(io_, std::move(transport), std::move(options));
}

absl::Status Standalone::StartScheduler() {
  scheduler_api_ = Client("vc-scheduler", metrics_);
  scheduler::SchedulerOptions options;
  options.scheduler_names = flags_.scheduler_names;
  options.policy.path = flags_.scheduler_conf;
  options.seed = rng_.Next();
  BTH_ASSIGN_OR_RETURN(framework::Registry registry, MakeRegistry(flags_.plugins_dir));
  unit_ = std::make_unique<SchedulerUnit>(*scheduler_api_, metrics_, std::move(registry),
                                          std::move(options));
  BTH_RETURN_IF_ERROR(unit_->scheduler().LoadPolicy());
  return ServeSchedulerPages();
}

absl::Status Standalone::StartAgentScheduler() {
  agent_api_ = Client("vc-agent-scheduler", agent_metrics_);
  scheduler::SchedulerOptions options = AgentSchedulerFlags().Options(rng_.Next());
  BTH_ASSIGN_OR_RETURN(framework::Registry registry, MakeRegistry(""));
  ServeSinglePods(1, agent_metrics_.registry, &registry, &options);
  agent_unit_ = std::make_unique<SchedulerUnit>(*agent_api_, agent_metrics_, std::move(registry),
                                                std::move(options));
  BTH_RETURN_IF_ERROR(agent_unit_->scheduler().LoadPolicy());
  auto pages = ServePages(io_, flags_.agent_listen_address, agent_unit_->pages());
  if (!pages.ok()) {
    return Annotate(pages.status(), StrCat("--agent-listen-address ", flags_.agent_listen_address));
  }
  agent_pages_server_ = *std::move(pages);
  return absl::OkStatus();
}

absl::Status Standalone::ServeSchedulerPages() {
  auto pages = ServePages(io_, flags_.listen_address, unit_->pages());
  if (!pages.ok()) {
    return Annotate(pages.status(), StrCat("--listen-address ", flags_.listen_address));
  }
  pages_server_ = *std::move(pages);
  auto debug = ServePages(io_, flags_.debug_bind_address, unit_->debug_pages());
  if (!debug.ok()) {
    return Annotate(debug.status(), StrCat("--debug-bind-address ", flags_.debug_bind_address));
  }
  debug_server_ = *std::move(debug);
  BTH_ASSIGN_OR_RETURN(Endpoint reached, ParseEndpoint(flags_.debug_bind_address));
  reached.port = debug_server_->port();
  debug_url_ = StrCat("http://", ToText(reached));
  return absl::OkStatus();
}

void Standalone::MakeControllers() {
  controllers_api_ = Client("vc-controller-manager", metrics_);
  controllers_ = std::make_unique<KeptControllers>(io_, [this] {
    controllers::ManagerOptions options;
    options.scheduler_names = flags_.scheduler_names;
    return std::make_unique<controllers::ControllerSet>(
        *controllers_api_, controller_metrics_, rng_, std::move(options), MakeControllerTools(io_));
  });
  nodesim::UnservedWorkloadsOptions workloads;
  workloads.component = "vc-standalone";
  unserved_ = std::make_unique<nodesim::UnservedWorkloads>(*controllers_api_, rng_, workloads);
}

absl::Status Standalone::Listen(const net::Handler& handler) {
  net::ServerOptions options;
  options.tls = !flags_.insecure_http;
  if (options.tls) {
    BTH_ASSIGN_OR_RETURN(options.certificates, state_.IssueServerCertificate(io_.Now()));
  }
  const bool anywhere = flags_.port == 0;
  options.port = anywhere ? state_.last_port() : static_cast<uint16_t>(flags_.port);
  auto server = net::StartServer(io_, options, handler);
  if (!server.ok() && anywhere && options.port != 0) {
    options.port = 0;  // Somebody else has the last one by now.
    server = net::StartServer(io_, options, handler);
  }
  if (!server.ok()) return Annotate(server.status(), StrCat("--port ", flags_.port));
  server_ = *std::move(server);
  server_url_ = StrCat(options.tls ? "https" : "http", "://127.0.0.1:", server_->port());
  return state_.RememberPort(server_->port());
}

absl::Status Standalone::WriteKubeconfig() {
  kubeconfig_ = flags_.kubeconfig;
  if (kubeconfig_.empty() && !flags_.data_dir.empty())
    kubeconfig_ = flags_.data_dir + "/kubeconfig";
  if (kubeconfig_.empty()) {
    kubeconfig_ = StrCat("/tmp/batholith-", getuid(), "-", server_->port(), ".kubeconfig");
  }
  const std::string authority = flags_.insecure_http ? "" : state_.authority_pem();
  return Annotate(
      WritePrivateFile(kubeconfig_, KubeconfigText(server_url_, authority, state_.token())),
      "--write-kubeconfig");
}

int Standalone::Run() {
  io_.OnSignals({SIGTERM, SIGINT}, [this](int) { OnStopSignal(); });
  if (unit_ != nullptr) {
    io_.OnSignals({SIGHUP}, [this](int) { unit_->scheduler().ReloadPolicy(); });
    unit_->scheduler().StartCache();
    unit_->scheduler().Lead();
  }
  if (agent_unit_ != nullptr) {
    agent_unit_->scheduler().StartCache();
    agent_unit_->scheduler().Lead();
  }
  if (controllers_ != nullptr) {
    controllers_->Start();
    unserved_->Start();
  }
  nodes_->Start();
  if (volumes_ != nullptr) volumes_->Start();
  if (claims_ != nullptr) claims_->Start();
  welcome_.Start(io_, Welcome());
  io_.Run();
  return exit_code_;
}

net::Awaitable<void> Standalone::Welcome() {
  const absl::Status status =
      co_await nodesim::EnsureNodes(*nodes_api_, flags_.nodes.nodes, kNodesPatience);
  if (!status.ok()) {
    std::cerr << "vc-standalone: " << status.message() << "\n";
    exit_code_ = 1;
    io_.Stop();
    co_return;
  }
  if (unit_ != nullptr) co_await AnnounceDebugPages();
  std::cout << "Kubernetes API: " << server_url_ << "\n"
            << "Simulated nodes: " << flags_.nodes.nodes.count << "\n";
  if (unit_ != nullptr) {
    std::cout << "Debug pages: " << debug_url_ << "/debug/explain?job=NAMESPACE/NAME\n";
  }
  if (flags_.enable_page) std::cout << "Page: " << server_url_ << page::kPath << "/\n";
  if (flags_.insecure_http) {
    // The token stays in its file: what is printed here ends up in logs.
    std::cout << "Connect: curl -H \"Authorization: Bearer $(sed -n 's/^ *token: //p' "
              << kubeconfig_ << ")\" " << server_url_ << "/api/v1/nodes\n"
              << "         kubectl and vcctl need TLS: they send no token over plain HTTP\n";
  } else {
    std::cout << "Connect: export KUBECONFIG=" << kubeconfig_ << "\n"
              << "         kubectl get nodes\n";
  }
  std::cout << "ready" << std::endl;
}

// For `vcctl explain`, which asks as it asks in a cluster.
net::Awaitable<void> Standalone::AnnounceDebugPages() {
  AnnouncedService service;
  service.ns = "volcano-system";
  service.name = "volcano-scheduler-explain";
  service.port = 80;
  service.target_port = debug_server_->port();
  const absl::Status status = co_await Announce(*scheduler_api_, std::move(service));
  if (!status.ok()) Log(LogLevel::kWarning, "debug.not_announced", {{"status", status}});
}

void Standalone::OnStopSignal() {
  if (stopping_) _exit(1);  // Asked twice: whoever waits has lost patience.
  stopping_ = true;
  stop_.Start(io_, Stop());
}

net::Awaitable<void> Standalone::Stop() {
  controllers_.reset();
  unserved_.reset();
  if (unit_ != nullptr) co_await unit_->Drain(kStandaloneDrainMax);
  if (agent_unit_ != nullptr) co_await agent_unit_->Drain(kStandaloneDrainMax);
  std::cout << "stopped" << std::endl;
  io_.Stop();
}

}  // namespace bth::cmd
