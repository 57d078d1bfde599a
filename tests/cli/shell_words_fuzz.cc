// Any text as the command of a job: no crash, and words that were put between quotes come back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cli/text/shell_words.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto words = bth::cli::SplitShellWords({reinterpret_cast<const char*>(data), size});
  if (!words.ok()) {
    BTH_CHECK(absl::IsInvalidArgument(words.status()));
    BTH_CHECK(!words.status().message().empty());
    return 0;
  }
  std::string line;
  size_t letters = 0;
  for (const std::string& word : *words) {
    letters += word.size();
    line += line.empty() ? "'" : " '";
    for (const char c : word) c == '\'' ? line += "'\\''" : line += c;
    line += "'";
  }
  BTH_CHECK(letters <= size);
  const auto again = bth::cli::SplitShellWords(line);
  BTH_CHECK(again.ok());
  BTH_CHECK(*again == *words);
  return 0;
}
