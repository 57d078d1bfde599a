// What goes to stderr while this lives.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/log.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"
#include "tests/support/temp_folder.h"

namespace bth::test {

class CapturedLog {
 public:
  explicit CapturedLog(LogLevel level) {
    SetLogLevel(level);
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    REQUIRE(file >= 0);
    std::fflush(stderr);
    before_ = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
  }
  CapturedLog(const CapturedLog&) = delete;
  ~CapturedLog() {
    std::fflush(stderr);
    dup2(before_, STDERR_FILENO);
    close(before_);
    SetLogLevel(LogLevel::kInfo);
  }
  // The lines since the last call, without their times and levels.
  std::vector<std::string> Take() {
    std::fflush(stderr);
    const std::string text = ReadFile(path_).substr(taken_);
    taken_ += text.size();
    std::vector<std::string> lines;
    for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(' ', 2));
      lines.emplace_back(parts.back());
    }
    return lines;
  }

 private:
  TempFolder folder_;
  const std::string path_ = folder_.Sub("log");
  int before_ = -1;
  size_t taken_ = 0;
};

}  // namespace bth::test
