// vc-standalone: a Kubernetes API with a scheduler and simulated nodes, for a first look and for
// tests.
#include <csignal>
#include <iostream>

#include "base/log.h"
#include "cmd/common/flags.h"
#include "cmd/common/standalone.h"
#include "cmd/common/version.h"
#include "net/io_context.h"

namespace bth::cmd {
namespace {

int Main(int argc, char** argv) {
  FlagSet flag_set("vc-standalone",
                   "API server, scheduler and simulated nodes in one process, on loopback.");
  StandaloneFlags flags;
  flags.AddTo(flag_set);
  const FlagSet::Outcome parsed = flag_set.Parse(argc, argv, std::cerr);
  if (!parsed.run) return parsed.exit_code;
  if (flags.version) {
    std::cout << VersionText();
    return 0;
  }
  if (const absl::Status status = flags.Check(); !status.ok()) {
    std::cerr << "vc-standalone: " << status.message() << "\n";
    return 1;
  }
  if (flags.verbosity >= 4) SetLogLevel(LogLevel::kDebug);
  std::signal(SIGPIPE, SIG_IGN);
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  absl::StatusOr<std::unique_ptr<Standalone>> standalone = Standalone::Create(*io, flags);
  if (!standalone.ok()) {
    std::cerr << "vc-standalone: " << standalone.status().message() << "\n";
    return 1;
  }
  return (*standalone)->Run();
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::Main(argc, argv);
}
