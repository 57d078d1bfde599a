// vc-standalone: a Kubernetes API with scheduler, controllers and simulated nodes, for a first look
// and for tests.
#include "base/status.h"
#include "cmd/common/program.h"
#include "cmd/common/standalone.h"

namespace bth::cmd {
namespace {

absl::StatusOr<int> Run(net::IoContext& io, const StandaloneFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Standalone> standalone, Standalone::Create(io, flags));
  return standalone->Run();
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::RunProgram<bth::cmd::StandaloneFlags>(
      {"vc-standalone",
       "API server, scheduler, controllers and simulated nodes in one process, on loopback."},
      argc, argv, bth::cmd::Run);
}
