// vcctl, vsub, vjobs, vqueues, vcancel, vsuspend, vresume: commands of users.
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "cli/command/complete.h"
#include "cli/command/dispatch.h"
#include "cli/print/terminal.h"
#include "cli/programs.h"
#include "cli/session/connect.h"
#include "cli/session/keyboard.h"
#include "cmd/common/version.h"
#include "sim/policy_engine.h"

namespace bth::cmd {
namespace {

std::optional<std::string> Environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

// A shell waits for the answer while somebody types: after a second it is that nothing is known,
// whatever the program is busy with (a server, a resolver, a credential plugin).
void AnswerWithinASecond() {
  std::signal(SIGALRM, [](int) {
    constexpr char kNothing[] = ":4\n";
    const ssize_t written = write(STDOUT_FILENO, kNothing, sizeof(kNothing) - 1);
    _exit(written > 0 ? cli::kExitDone : cli::kExitFailed);
  });
  const itimerval second = {{0, 0}, {0, 990'000}};
  setitimer(ITIMER_REAL, &second, nullptr);
}

int Main(int argc, char** argv) {
  SetLogLevel(LogLevel::kError);
  std::ios::sync_with_stdio(false);
  const RealClock clock;
  cli::Surroundings surroundings;
  surroundings.in = &std::cin;
  surroundings.out = &std::cout;
  surroundings.err = &std::cerr;
  surroundings.clock = &clock;
  surroundings.zone = absl::LocalTimeZone();
  surroundings.variable = Environment;
  surroundings.connect = [](const cli::ClusterFlags& flags) {
    cli::ConnectOptions options;
    options.variable = Environment;
    options.user_agent = UserAgent("vcctl");
    options.is_watched = isatty(STDERR_FILENO) == 1;
    return cli::ConnectToCluster(flags, options);
  };
  const auto terminal_of = [](int descriptor) {
    return cli::DescribeTerminal(cli::ReadTerminalFacts(descriptor));
  };
  surroundings.is_interactive =
      isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
  surroundings.terminal = terminal_of(STDOUT_FILENO);
  surroundings.err_terminal = terminal_of(STDERR_FILENO);
  surroundings.terminal_now = [terminal_of] { return terminal_of(STDOUT_FILENO); };
  surroundings.keyboard = [] { return cli::OpenKeyboard(STDIN_FILENO); };
  surroundings.engine = sim::MakePolicyEngine;
  surroundings.is_watched = isatty(STDERR_FILENO) == 1;
  surroundings.version_text = VersionText();
  cli::Session session(std::move(surroundings));
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (!args.empty() && args[0] == cli::kCompleteCommand) AnswerWithinASecond();
  const int code = cli::RunProgram(argc > 0 ? argv[0] : "", args, session);
  std::cout.flush();
  return code;
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::Main(argc, argv);
}
