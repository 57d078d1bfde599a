// vc-scheduler: the scheduler daemon.
#include <csignal>
#include <cstdio>
#include <iostream>

#include "base/log.h"
#include "cmd/common/flags.h"
#include "cmd/common/scheduler_daemon.h"
#include "cmd/common/scheduler_flags.h"
#include "cmd/common/version.h"
#include "net/io_context.h"

namespace bth::cmd {
namespace {

int Main(int argc, char** argv) {
  FlagSet flag_set("vc-scheduler", "Schedules pods of batch jobs, gangs whole or not at all.");
  SchedulerFlags flags;
  flags.AddTo(flag_set);
  const FlagSet::Outcome parsed = flag_set.Parse(argc, argv, std::cerr);
  if (!parsed.run) return parsed.exit_code;
  if (flags.version) {
    std::cout << VersionText();
    return 0;
  }
  if (const absl::Status status = flags.Check(); !status.ok()) {
    std::cerr << "vc-scheduler: " << status.message() << "\n";
    return 1;
  }
  if (!flags.leader.lock_namespace.empty()) {
    std::cerr << "Flag --lock-object-namespace has been deprecated, This flag is deprecated and "
                 "will be removed in a future release. Please use "
                 "--leader-elect-resource-namespace instead.\n";
  }
  if (flags.log.verbosity >= 4) SetLogLevel(LogLevel::kDebug);
  if (flags.log.verbosity >= 2) {
    for (const auto& [name, value] : flag_set.Values()) {
      Log(LogLevel::kInfo, "flag", {{"name", name}, {"value", value}});
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  absl::StatusOr<std::unique_ptr<SchedulerDaemon>> daemon = SchedulerDaemon::Create(*io, flags);
  if (!daemon.ok()) {
    std::cerr << "vc-scheduler: " << daemon.status().message() << "\n";
    return 1;
  }
  return (*daemon)->Run();
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::Main(argc, argv);
}
