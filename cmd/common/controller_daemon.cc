#include "cmd/common/controller_daemon.h"

#include <unistd.h>

#include <csignal>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/status.h"
#include "cmd/common/controller_tools.h"
#include "cmd/common/daemon_client.h"
#include "cmd/common/program.h"
#include "net/text_response.h"

namespace bth::cmd {

ControllerDaemon::ControllerDaemon(net::IoContext& io, const ControllerFlags& flags)
    : io_(io), flags_(flags), rng_(RandomSeed()) {
  escapes_ = io_.barrier().Listen(
      [this](const net::Escape& escape) { metrics_.client().ExceptionCaught(escape.place); });
}

absl::StatusOr<std::unique_ptr<ControllerDaemon>> ControllerDaemon::Create(
    net::IoContext& io, const ControllerFlags& flags) {
  std::unique_ptr<ControllerDaemon> daemon(new ControllerDaemon(io, flags));
  BTH_RETURN_IF_ERROR(daemon->Wire());
  return daemon;
}

absl::Status ControllerDaemon::Wire() {
  const std::string program = "vc-controller-manager";
  BTH_ASSIGN_OR_RETURN(const client::ClientConfig config,
                       client::LoadClientConfig(flags_.api.Sources()));
  std::function<bool()> may_act;
  if (flags_.leader.elect) {
    may_act = [this] { return leadership_ != nullptr && leadership_->is_leader(); };
  }
  BTH_ASSIGN_OR_RETURN(
      api_, ConnectForWork(io_, config, flags_.api, program, metrics_.client(), may_act));
  if (flags_.leader.elect) {
    BTH_ASSIGN_OR_RETURN(std::unique_ptr<client::ApiClient> lease_api,
                         ConnectForLease(io_, config, program, metrics_.client()));
    LeadershipHooks hooks;
    hooks.on_started = [this] { Act(); };
    hooks.on_lost = [this] {
      exit_code_ = 1;
      io_.Stop();
    };
    leadership_ = std::make_unique<Leadership>(std::move(lease_api), rng_, flags_.leader, program,
                                               std::move(hooks));
  }
  const net::Handler pages = [this](net::Request request) { return Page(std::move(request)); };
  BTH_ASSIGN_OR_RETURN(servers_, PageServers::Start(io_, flags_.pages, pages));
  return absl::OkStatus();
}

void ControllerDaemon::Act() {
  controllers_ = std::make_unique<KeptControllers>(io_, [this] {
    return std::make_unique<controllers::ControllerSet>(*api_, metrics_, rng_, flags_.Options(),
                                                        MakeControllerTools(io_));
  });
  controllers_->Start();
}

int ControllerDaemon::Run() {
  io_.OnSignals({SIGTERM, SIGINT}, [this](int) { OnStopSignal(); });
  if (leadership_ != nullptr) {
    leadership_->Start();
  } else {
    Act();
  }
  io_.Run();
  servers_.reset();
  return exit_code_;
}

void ControllerDaemon::OnStopSignal() {
  if (stopping_) _exit(1);  // Asked twice: whoever waits has lost patience.
  stopping_ = true;
  Log(LogLevel::kInfo, "controllers.stopping", {});
  stop_.Start(io_, Stop());
}

// No further write; only then may another one lead.
net::Awaitable<void> ControllerDaemon::Stop() {
  controllers_.reset();
  if (leadership_ != nullptr) co_await leadership_->Stop();
  io_.Stop();
}

net::Awaitable<net::Response> ControllerDaemon::Page(net::Request request) {
  const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
  const std::string path = target.ok() ? target->path : "";
  if (path == "/metrics") co_return net::TextResponse(200, registry_.RenderText());
  if (path == "/healthz" || path == "/healthz/ping" || path == "/livez") {
    co_return net::TextResponse(200, "ok\n");
  }
  if (path == "/readyz") {
    if (controllers_ == nullptr) co_return net::TextResponse(200, "ok\n");
    const controllers::ControllerSet* const set = controllers_->set();
    if (set == nullptr) co_return net::TextResponse(503, "the controllers are made anew\n");
    if (set->running()) co_return net::TextResponse(200, "ok\n");
    const std::vector<std::string> unsynced = set->Unsynced();
    co_return net::TextResponse(
        503, absl::StrCat("not yet listed: ", absl::StrJoin(unsynced, ", "), "\n"));
  }
  co_return net::TextResponse(404, "pages: /healthz /livez /readyz /metrics\n");
}

}  // namespace bth::cmd
