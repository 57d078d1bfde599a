// vc-webhook-manager: fills in and checks jobs, queues, pod groups and pods before they are stored.
#include "base/status.h"
#include "cmd/common/program.h"
#include "cmd/common/webhook_daemon.h"
#include "cmd/common/webhook_flags.h"

namespace bth::cmd {
namespace {

absl::StatusOr<int> Run(net::IoContext& io, const WebhookFlags& flags) {
  if (const absl::Status fatal = flags.CheckFatal(); !fatal.ok())
    return WebhookDaemon::Fatal(fatal);
  BTH_RETURN_IF_ERROR(flags.CheckTarget());
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<WebhookDaemon> daemon,
                       WebhookDaemon::Create(io, flags));
  return daemon->Run();
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::RunProgram<bth::cmd::WebhookFlags>(
      {"vc-webhook-manager",
       "Fills in and checks jobs, queues, pod groups and pods before the API server keeps them."},
      argc, argv, bth::cmd::Run);
}
