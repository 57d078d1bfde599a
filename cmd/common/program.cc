#include "cmd/common/program.h"

#include <csignal>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "base/log.h"
#include "cmd/common/version.h"
#include "net/pem.h"

namespace bth::cmd {

uint64_t RandomSeed() {
  uint64_t seed = 0;
  if (!absl::SimpleHexAtoi(net::RandomHex(8), &seed)) seed = 1;
  return seed;
}

std::optional<int> ReadCommandLine(FlagSet& set, int argc, char** argv, const bool& version) {
  const FlagSet::Outcome parsed = set.Parse(argc, argv, std::cerr);
  if (!parsed.run) return parsed.exit_code;
  if (!version) return std::nullopt;
  std::cout << VersionText();
  return 0;
}

absl::Status OpenLog(const ProgramText& text, const LogFlags& log,
                     std::unique_ptr<StderrFile>* file) {
  std::signal(SIGPIPE, SIG_IGN);
  SetLogLevel(log.level());
  const std::string path = log.Target(text.name, absl::Now());
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<StderrFile>> opened = StderrFile::Open(path);
  if (!opened.ok()) return opened.status();
  *file = *std::move(opened);
  return absl::OkStatus();
}

void LogFlagValues(const FlagSet& set, const LogFlags& log, const std::vector<std::string>& notes) {
  constexpr int64_t kFlagsVerbosity = 2;
  for (const auto& list : {set.Notes(), notes}) {
    for (const std::string& note : list) {
      Log(LogLevel::kWarning, "flag.no_effect", {{"why", note}});
    }
  }
  if (log.verbosity < kFlagsVerbosity) return;
  for (const auto& [name, value] : set.Values()) {
    Log(LogLevel::kInfo, "flag", {{"name", name}, {"value", value}});
  }
}

int Ended(const ProgramText& text, const absl::StatusOr<int>& exit_code) {
  if (exit_code.ok()) return *exit_code;
  std::cerr << text.name << ": " << exit_code.status().message() << "\n";
  return 1;
}

}  // namespace bth::cmd
