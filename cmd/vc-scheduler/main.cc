// vc-scheduler: the scheduler daemon.
#include "base/status.h"
#include "cmd/common/program.h"
#include "cmd/common/scheduler_daemon.h"
#include "cmd/common/scheduler_flags.h"

namespace bth::cmd {
namespace {

absl::StatusOr<int> Run(net::IoContext& io, const SchedulerFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<SchedulerDaemon> daemon,
                       SchedulerDaemon::Create(io, SchedulerSetup::Of(flags)));
  return daemon->Run();
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::RunProgram<bth::cmd::SchedulerFlags>(
      {"vc-scheduler", "Schedules pods of batch jobs, gangs whole or not at all."}, argc, argv,
      bth::cmd::Run);
}
