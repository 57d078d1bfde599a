// vc-controller-manager: the controllers of batch jobs, queues and pod groups.
#include "base/status.h"
#include "cmd/common/controller_daemon.h"
#include "cmd/common/controller_flags.h"
#include "cmd/common/program.h"

namespace bth::cmd {
namespace {

absl::StatusOr<int> Run(net::IoContext& io, const ControllerFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<ControllerDaemon> daemon,
                       ControllerDaemon::Create(io, flags));
  return daemon->Run();
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::RunProgram<bth::cmd::ControllerFlags>(
      {"vc-controller-manager", "Runs batch jobs, queues, pod groups, job flows and cron jobs."},
      argc, argv, bth::cmd::Run);
}
