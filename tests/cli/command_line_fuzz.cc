// Any words as a command line of each program, as it is run and as shells ask about it: one of
// three exit codes, and an answer in the form that shells expect.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/check.h"
#include "cli/command/complete.h"
#include "cli/command/dispatch.h"
#include "tests/cli/console.h"

namespace {

using bth::test::Ran;

void CheckAnswer(const Ran& ran) {
  BTH_CHECK(ran.code == bth::cli::kExitDone);
  BTH_CHECK(ran.err.empty());
  const std::vector<std::string> lines = absl::StrSplit(ran.out, '\n');
  BTH_CHECK(lines.size() >= 2 && lines.back().empty());
  const std::string& directive = lines[lines.size() - 2];
  BTH_CHECK(directive == ":0" || directive == ":2" || directive == ":4" || directive == ":6");
  for (size_t i = 0; i + 2 < lines.size(); ++i) {
    BTH_CHECK(!lines[i].empty() && lines[i][0] != ':' && lines[i][0] != '\t');
  }
}

}  // namespace

// The first byte chooses the program; words are divided by zero bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace cli = bth::cli;
  constexpr std::string_view kPrograms[] = {"vcctl",   "vsub",    "vjobs",   "vqueues",
                                            "vcancel", "vresume", "vsuspend"};
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> words = absl::StrSplit(text, '\0');
  std::vector<std::string> line = {std::string(kPrograms[data[0] % std::size(kPrograms)])};
  line.insert(line.end(), words.begin(), words.end());
  bth::test::Console console;
  const Ran ran = console.Run(line);
  BTH_CHECK(ran.code == cli::kExitDone || ran.code == cli::kExitUsage ||
            ran.code == cli::kExitFailed);
  if (ran.code == cli::kExitUsage) BTH_CHECK(ran.out.empty() && !ran.err.empty());
  if (ran.code == cli::kExitFailed) BTH_CHECK(ran.out.starts_with("Failed to"));
  line.insert(line.begin() + 1, std::string(cli::kCompleteCommand));
  CheckAnswer(console.Run(line));
  return 0;
}
