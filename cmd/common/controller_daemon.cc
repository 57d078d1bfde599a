#include "cmd/common/controller_daemon.h"

#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "cmd/common/controller_tools.h"
#include "cmd/common/daemon_client.h"
#include "cmd/common/program.h"
#include "net/text_response.h"

namespace bth::cmd {
namespace {

constexpr char kControllerProgram[] = "vc-controller-manager";

// Definitions that every installation has had from the first version on; nothing of the rest is
// used where it is missing.
bool IsNeeded(std::string_view definition) {
  return definition == "jobs.batch.volcano.sh" || definition == "podgroups.scheduling.volcano.sh" ||
         definition == "queues.scheduling.volcano.sh";
}

}  // namespace

ControllerDaemon::ControllerDaemon(net::IoContext& io, const ControllerFlags& flags)
    : io_(io), flags_(flags), rng_(RandomSeed()), gauges_(registry_, kControllerProgram) {
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
  BTH_ASSIGN_OR_RETURN(const client::ClientConfig config, ChooseServer(flags_.api));
  std::function<bool()> may_act;
  if (flags_.leader.elect) {
    may_act = [this] { return leadership_ != nullptr && leadership_->is_leader(); };
  }
  contact_ = MakeContact(io_, config, [this](const absl::Status& why) { GiveUp(why); });
  const DaemonLine line{io_, config, kControllerProgram, metrics_.client(), contact_.get()};
  BTH_ASSIGN_OR_RETURN(api_, ConnectForWork(line, flags_.api, may_act));
  if (flags_.leader.elect) {
    BTH_ASSIGN_OR_RETURN(std::unique_ptr<client::ApiClient> lease_api, ConnectForLease(line));
    LeadershipHooks hooks;
    hooks.on_started = [this] { Act(); };
    hooks.on_lost = [this] {
      gauges_.SetLeading(false);
      exit_code_ = 1;
      io_.Stop();
    };
    leadership_ = std::make_unique<Leadership>(std::move(lease_api), rng_, flags_.leader,
                                               kControllerProgram, std::move(hooks));
  }
  const net::Handler pages = [this](net::Request request) { return Page(std::move(request)); };
  BTH_ASSIGN_OR_RETURN(servers_, PageServers::Start(io_, flags_.pages, pages));
  return absl::OkStatus();
}

void ControllerDaemon::Act() {
  gauges_.SetLeading(true);
  controllers_ = std::make_unique<KeptControllers>(io_, [this] {
    return std::make_unique<controllers::ControllerSet>(*api_, metrics_, rng_, flags_.Options(),
                                                        MakeControllerTools(io_));
  });
  controllers_->Start();
}

void ControllerDaemon::GiveUp(const absl::Status& why) {
  if (stopping_) return;
  given_up_ = why;
  exit_code_ = 1;
  io_.Stop();
}

absl::StatusOr<int> ControllerDaemon::Run() {
  io_.OnSignals({SIGTERM, SIGINT}, [this](int) { OnStopSignal(); });
  if (leadership_ != nullptr) {
    leadership_->Start();
  } else {
    Act();
  }
  io_.Run();
  servers_.reset();
  if (!given_up_.ok()) return given_up_;
  return exit_code_;
}

void ControllerDaemon::OnStopSignal() {
  if (stopping_) _exit(1);  // Asked twice: whoever waits has lost patience.
  stopping_ = true;
  gauges_.SetLeading(false);
  Log(LogLevel::kInfo, "controllers.stopping", {});
  stop_.Start(io_, Stop());
}

// No further write; only then may another one lead.
net::Awaitable<void> ControllerDaemon::Stop() {
  controllers_.reset();
  if (leadership_ != nullptr) co_await leadership_->Stop();
  io_.Stop();
}

// One that waits for the lease is ready when it has found the API server.
std::string ControllerDaemon::Lacking() const {
  if (controllers_ == nullptr) {
    return contact_->ever_answered() ? "" : "the API server has not answered yet";
  }
  const controllers::ControllerSet* const set = controllers_->set();
  if (set == nullptr) return "the controllers are made anew";
  if (!set->running()) {
    return StrCat("not yet listed: ", absl::StrJoin(set->Unsynced(), ", "));
  }
  std::vector<std::string> missing = set->Missing();
  std::erase_if(missing, [](const std::string& name) { return !IsNeeded(name); });
  if (missing.empty()) return "";
  return StrCat("the API server does not know ", absl::StrJoin(missing, ", "),
                ": install the definitions with kubectl apply -f deploy/crds");
}

net::Awaitable<net::Response> ControllerDaemon::Page(net::Request request) {
  const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
  const std::string path = target.ok() ? target->path : "";
  if (path == "/metrics") co_return net::TextResponse(200, registry_.RenderText());
  if (path == "/healthz" || path == "/healthz/ping" || path == "/livez") {
    const bool verbose = target->HasQuery("verbose");
    co_return net::TextResponse(200, verbose ? "[+]ping ok\nhealthz check passed\n" : "ok");
  }
  if (path == "/readyz") {
    const std::string lacking = Lacking();
    if (lacking.empty()) co_return net::TextResponse(200, "ok\n");
    const std::string last_error = contact_->LastError();
    co_return net::TextResponse(503,
                                StrCat(lacking, "\n", last_error, last_error.empty() ? "" : "\n"));
  }
  co_return net::TextResponse(404, "pages: /healthz /livez /readyz /metrics\n");
}

}  // namespace bth::cmd
