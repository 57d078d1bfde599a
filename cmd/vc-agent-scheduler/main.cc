// vc-agent-scheduler: places urgent single pods, beside vc-scheduler.
#include "base/status.h"
#include "cmd/common/agent_scheduler_flags.h"
#include "cmd/common/program.h"
#include "cmd/common/scheduler_daemon.h"

namespace bth::cmd {
namespace {

absl::StatusOr<int> Run(net::IoContext& io, const AgentSchedulerFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<SchedulerDaemon> daemon,
                       SchedulerDaemon::Create(io, SchedulerSetup::Of(flags)));
  return daemon->Run();
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::RunProgram<bth::cmd::AgentSchedulerFlags>(
      {"vc-agent-scheduler", "Places urgent pods, each for itself, at low latency."}, argc, argv,
      bth::cmd::Run);
}
