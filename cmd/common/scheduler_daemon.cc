#include "cmd/common/scheduler_daemon.h"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/status.h"
#include "cmd/common/agent_scheduler.h"
#include "cmd/common/daemon_client.h"
#include "cmd/common/program.h"
#include "cmd/common/version.h"

namespace bth::cmd {
namespace {

// How long an orderly stop waits for what was decided already.
constexpr absl::Duration kDaemonDrainMax = absl::Seconds(5);

}  // namespace

SchedulerSetup SchedulerSetup::Of(const SchedulerFlags& flags) {
  return {.program = "vc-scheduler",
          .common = static_cast<const SchedulerCommonFlags&>(flags),
          .scheduler_names = flags.scheduler_names,
          .make = [flags](Metrics&, uint64_t seed) -> absl::StatusOr<Parts> {
            BTH_ASSIGN_OR_RETURN(framework::Registry registry, MakeRegistry(flags.plugins_dir));
            return Parts{std::move(registry), flags.Options(seed)};
          }};
}

SchedulerSetup SchedulerSetup::Of(const AgentSchedulerFlags& flags) {
  return {.program = "vc-agent-scheduler",
          .common = static_cast<const SchedulerCommonFlags&>(flags),
          .scheduler_names = {flags.scheduler_name},
          .make = [flags](Metrics& metrics, uint64_t seed) -> absl::StatusOr<Parts> {
            BTH_ASSIGN_OR_RETURN(framework::Registry registry, MakeRegistry(""));
            scheduler::SchedulerOptions options = flags.Options(seed);
            ServeSinglePods(static_cast<int>(flags.workers), metrics.registry, &registry, &options);
            return Parts{std::move(registry), std::move(options)};
          }};
}

SchedulerDaemon::SchedulerDaemon(net::IoContext& io, SchedulerSetup setup)
    : io_(io),
      setup_(std::move(setup)),
      flags_(setup_.common),
      rng_(RandomSeed()),
      gauges_(metrics_.registry, setup_.program) {}

absl::StatusOr<std::unique_ptr<SchedulerDaemon>> SchedulerDaemon::Create(net::IoContext& io,
                                                                         SchedulerSetup setup) {
  std::unique_ptr<SchedulerDaemon> daemon(new SchedulerDaemon(io, std::move(setup)));
  BTH_RETURN_IF_ERROR(daemon->Wire());
  return daemon;
}

absl::Status SchedulerDaemon::Wire() {
  BTH_ASSIGN_OR_RETURN(const client::ClientConfig config, ChooseServer(flags_.api));
  metrics::ClientMetrics& counts = metrics_.scheduler.client();
  std::function<bool()> may_act;
  if (flags_.leader.elect) may_act = [this] { return MayAct(); };
  contact_ = MakeContact(io_, config, [this](const absl::Status& why) { GiveUp(why); });
  const DaemonLine line{io_, config, setup_.program, counts, contact_.get()};
  BTH_ASSIGN_OR_RETURN(api_, ConnectForWork(line, flags_.api, may_act));
  BTH_ASSIGN_OR_RETURN(SchedulerSetup::Parts parts, setup_.make(metrics_, rng_.Next()));
  parts.options.may_lead = may_act;
  unit_ = std::make_unique<SchedulerUnit>(*api_, metrics_, std::move(parts.registry),
                                          std::move(parts.options));
  BTH_RETURN_IF_ERROR(unit_->scheduler().LoadPolicy());
  if (flags_.leader.elect) {
    BTH_ASSIGN_OR_RETURN(std::unique_ptr<client::ApiClient> lease_api, ConnectForLease(line));
    JoinElection(std::move(lease_api));
  }
  const net::Handler pages = unit_->pages([this] { return contact_->LastError(); });
  BTH_ASSIGN_OR_RETURN(servers_, PageServers::Start(io_, flags_.pages, pages));
  BTH_RETURN_IF_ERROR(ServeDebugPages(config));
  log_level_ = LogLevelServer::Start(io_, flags_.log);
  return absl::OkStatus();
}

absl::Status SchedulerDaemon::ServeDebugPages(const client::ClientConfig& config) {
  const auto connect = [this, &config] {
    return ConnectForReviews({io_, config, setup_.program, metrics_.scheduler.client()});
  };
  const DebugServer::Context context{
      .executor = io_, .registry = metrics_.registry, .connect = connect};
  BTH_ASSIGN_OR_RETURN(debug_, DebugServer::Start(context, flags_.debug, unit_->debug_pages()));
  return absl::OkStatus();
}

void SchedulerDaemon::JoinElection(std::unique_ptr<client::ApiClient> lease_api) {
  const std::string component =
      setup_.scheduler_names.size() == 1 ? setup_.scheduler_names[0] : "volcano";
  LeadershipHooks hooks;
  hooks.on_started = [this] { Lead(); };
  hooks.on_lost = [this] {
    gauges_.SetLeading(false);
    exit_code_ = 1;
    io_.Stop();
  };
  leadership_ = std::make_unique<Leadership>(std::move(lease_api), rng_, flags_.leader, component,
                                             std::move(hooks));
}

void SchedulerDaemon::Lead() {
  gauges_.SetLeading(true);
  unit_->scheduler().Lead();
}

void SchedulerDaemon::GiveUp(const absl::Status& why) {
  if (stopping_) return;
  given_up_ = why;
  exit_code_ = 1;
  io_.Stop();
}

absl::StatusOr<int> SchedulerDaemon::Run() {
  Log(LogLevel::kInfo, "scheduler.started",
      {{"program", UserAgent(setup_.program)},
       {"scheduler_names", absl::StrJoin(setup_.scheduler_names, ",")},
       {"leader_election", flags_.leader.elect}});
  io_.OnSignals({SIGTERM, SIGINT}, [this](int) { OnStopSignal(); });
  io_.OnSignals({SIGHUP}, [this](int) { unit_->scheduler().ReloadPolicy(); });
  if (flags_.dump_on_signal) {
    io_.OnSignals({SIGUSR1}, [this](int) { unit_->DumpCluster(flags_.dump_folder); });
    io_.OnSignals({SIGUSR2}, [this](int) { unit_->DumpCycle(flags_.dump_folder); });
    if (const absl::Status usable = CheckDumpFolder(flags_.dump_folder); !usable.ok()) {
      Log(LogLevel::kWarning, "dump.folder_unusable",
          {{"status", usable},
           {"remedy",
            "give a folder that can be written as --cache-dump-dir, or "
            "--cache-dumper=false"}});
    }
  }
  // A standby reads along, so that it can take over at once.
  unit_->scheduler().StartCache();
  if (leadership_ != nullptr) {
    leadership_->Start();
  } else {
    Lead();
  }
  io_.Run();
  log_level_.reset();
  debug_.reset();
  servers_.reset();
  Log(LogLevel::kInfo, "scheduler.stopped", {{"exit_code", exit_code_}});
  if (!given_up_.ok()) return given_up_;
  return exit_code_;
}

void SchedulerDaemon::OnStopSignal() {
  if (stopping_) _exit(1);  // Asked twice: whoever waits has lost patience.
  stopping_ = true;
  gauges_.SetLeading(false);
  Log(LogLevel::kInfo, "scheduler.stopping", {{"drain_max", kDaemonDrainMax}});
  stop_.Start(io_, Stop());
}

// No new decision; what was decided is written; only then may another one lead.
net::Awaitable<void> SchedulerDaemon::Stop() {
  co_await unit_->Drain(kDaemonDrainMax);
  if (leadership_ != nullptr) co_await leadership_->Stop();
  io_.Stop();
}

}  // namespace bth::cmd
