// What every daemon's main() does around the daemon: command line, log, loop, exit code.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cmd/common/flags.h"
#include "cmd/common/log_flags.h"
#include "net/io_context.h"

namespace bth::cmd {

struct ProgramText {
  std::string name;
  std::string about;
};

// For random numbers that nobody shall foresee, such as spread of retries.
uint64_t RandomSeed();

// The steps of RunProgram that do not depend on the program.
std::optional<int> ReadCommandLine(FlagSet& set, int argc, char** argv, const bool& version);
absl::Status OpenLog(const ProgramText& text, const LogFlags& log,
                     std::unique_ptr<StderrFile>* file);
void LogFlagValues(const FlagSet& set, const LogFlags& log, const std::vector<std::string>& notes);
int Ended(const ProgramText& text, const absl::StatusOr<int>& exit_code);

// `Flags` has AddTo(FlagSet&), Check(), Notes(), `log` and `version`. `run(io, flags)` builds the
// daemon and runs its loop; it returns the exit code, or why there was nothing to run.
//
// Exit codes of its own: 0 after --help and --version; 2 for a command line that cannot be read,
// with the usage; 1 for a request that cannot be fulfilled, with the reason on stderr.
template <typename Flags, typename Run>
int RunProgram(const ProgramText& text, int argc, char** argv, Run run) {
  FlagSet set(text.name, text.about);
  Flags flags;
  flags.AddTo(set);
  if (const std::optional<int> code = ReadCommandLine(set, argc, argv, flags.version)) return *code;
  absl::Status status = flags.Check();
  std::unique_ptr<StderrFile> log_file;
  if (status.ok()) status = OpenLog(text, flags.log, &log_file);
  if (!status.ok()) return Ended(text, status);
  LogFlagValues(set, flags.log, flags.Notes());
  absl::StatusOr<int> exit_code = 0;
  {
    const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
    exit_code = run(*io, flags);
  }
  log_file.reset();  // Whoever started the program reads its last word on stderr.
  return Ended(text, exit_code);
}

}  // namespace bth::cmd
