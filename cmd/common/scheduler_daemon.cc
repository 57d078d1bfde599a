#include "cmd/common/scheduler_daemon.h"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/connect.h"
#include "cmd/common/program.h"
#include "cmd/common/version.h"
#include "net/pem.h"

namespace bth::cmd {
namespace {

// Requests in flight: the effect writer's lanes, the senders of events, and some for lists.
constexpr int kConnectionsMax = 48;
constexpr int kStreamsMax = 64;
// How long an orderly stop waits for what was decided already.
constexpr absl::Duration kDrainMax = absl::Seconds(5);

// "<hostname>_<uuid>": unique among candidates, and tells people where it runs.
std::string MakeIdentity() {
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  const std::string hex = net::RandomHex(16);
  return absl::StrCat(host, "_", hex.substr(0, 8), "-", hex.substr(8, 4), "-4", hex.substr(13, 3),
                      "-a", hex.substr(17, 3), "-", hex.substr(20));
}

}  // namespace

SchedulerDaemon::SchedulerDaemon(net::IoContext& io, const SchedulerFlags& flags)
    : io_(io), flags_(flags), rng_(RandomSeed()) {}

absl::StatusOr<std::unique_ptr<SchedulerDaemon>> SchedulerDaemon::Create(
    net::IoContext& io, const SchedulerFlags& flags) {
  std::unique_ptr<SchedulerDaemon> daemon(new SchedulerDaemon(io, flags));
  BTH_RETURN_IF_ERROR(daemon->Wire());
  return daemon;
}

absl::StatusOr<std::unique_ptr<client::ApiClient>> SchedulerDaemon::Connect(
    const client::ClientConfig& config, bool for_lease) {
  client::ApiClientOptions options;
  options.user_agent = UserAgent(for_lease ? "vc-scheduler/leader-election" : "vc-scheduler");
  options.on_call = CountCalls(metrics_.scheduler.client(),
                               absl::StrCat(config.server.host, ":", config.server.port));
  net::ClientOptions pool;
  pool.connections_max = for_lease ? 2 : kConnectionsMax;
  pool.streams_max = for_lease ? 1 : kStreamsMax;
  if (!for_lease) {
    options.qps = flags_.api.qps;
    options.burst = static_cast<int>(flags_.api.burst);
    if (flags_.leader.elect) options.may_write = [this] { return MayAct(); };
  }
  return client::Connect(io_, config, std::move(options), std::move(pool));
}

absl::Status SchedulerDaemon::Wire() {
  BTH_ASSIGN_OR_RETURN(const client::ClientConfig config,
                       client::LoadClientConfig(flags_.api.Sources()));
  BTH_ASSIGN_OR_RETURN(api_, Connect(config, false));
  BTH_ASSIGN_OR_RETURN(framework::Registry registry, MakeRegistry(flags_.plugins_dir));
  scheduler::SchedulerOptions options = flags_.Options(rng_.Next());
  if (flags_.leader.elect) options.may_lead = [this] { return MayAct(); };
  unit_ = std::make_unique<SchedulerUnit>(*api_, metrics_, std::move(registry), std::move(options));
  BTH_RETURN_IF_ERROR(unit_->scheduler().LoadPolicy());
  if (flags_.leader.elect) {
    BTH_ASSIGN_OR_RETURN(lease_api_, Connect(config, true));
    MakeElector();
  }
  BTH_ASSIGN_OR_RETURN(servers_, PageServers::Start(io_, flags_.pages, unit_->pages()));
  log_level_ = LogLevelServer::Start(io_, flags_.log);
  return absl::OkStatus();
}

void SchedulerDaemon::MakeElector() {
  identity_ = MakeIdentity();
  client::EventRecorderOptions recorder;
  recorder.component = flags_.scheduler_names.size() == 1 ? flags_.scheduler_names[0] : "volcano";
  lease_events_ = std::make_unique<client::EventRecorder>(*lease_api_, rng_, std::move(recorder));
  client::LeaderElectionOptions options = flags_.Election(identity_);
  options.on_started = [this] {
    if (stopping_) return;
    Log(LogLevel::kInfo, "leader.started", {{"identity", identity_}});
    Announce("became leader");
    unit_->scheduler().Lead();
  };
  // Somebody else may lead already: not one more write.
  options.on_lost = [this] {
    if (stopping_) return;
    Log(LogLevel::kError, "leaderelection lost",
        {{"identity", identity_}, {"last_error", elector_->last_error()}});
    exit_code_ = 1;
    io_.Stop();
  };
  options.on_leader = [](const std::string& leader) {
    Log(LogLevel::kInfo, "leader.observed", {{"leader", leader}});
  };
  elector_ = std::make_unique<client::LeaderElector>(*lease_api_, rng_, std::move(options));
}

void SchedulerDaemon::Announce(std::string_view what) {
  const client::LeaderElectionOptions lease = flags_.Election(identity_);
  lease_events_->Record(
      {"coordination.k8s.io/v1", "Lease", lease.namespace_name, lease.lease_name, ""},
      {"Normal", "LeaderElection", absl::StrCat(identity_, " ", ToAbsl(what))});
}

int SchedulerDaemon::Run() {
  io_.OnSignals({SIGTERM, SIGINT}, [this](int) { OnStopSignal(); });
  io_.OnSignals({SIGHUP}, [this](int) { unit_->scheduler().ReloadPolicy(); });
  if (flags_.dump_on_signal) {
    io_.OnSignals({SIGUSR1}, [this](int) { unit_->DumpCluster(flags_.dump_folder); });
    io_.OnSignals({SIGUSR2}, [this](int) { unit_->DumpCycle(flags_.dump_folder); });
  }
  // A standby reads along, so that it can take over at once.
  unit_->scheduler().StartCache();
  if (elector_ != nullptr) {
    elector_->Start();
  } else {
    unit_->scheduler().Lead();
  }
  io_.Run();
  log_level_.reset();
  servers_.reset();
  return exit_code_;
}

void SchedulerDaemon::OnStopSignal() {
  if (stopping_) _exit(1);  // Asked twice: whoever waits has lost patience.
  stopping_ = true;
  Log(LogLevel::kInfo, "scheduler.stopping", {{"drain_max", kDrainMax}});
  stop_.Start(io_, Stop());
}

// No new decision; what was decided is written; only then may another one lead.
net::Awaitable<void> SchedulerDaemon::Stop() {
  co_await unit_->Drain(kDrainMax);
  if (elector_ != nullptr) {
    if (elector_->is_leader()) Announce("stopped leading");
    co_await elector_->Stop();
  }
  io_.Stop();
}

}  // namespace bth::cmd
