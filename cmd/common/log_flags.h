// klog's flags, as far as they mean something here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/log.h"
#include "cmd/common/flags.h"

namespace bth::cmd {

// While it lives, what the process writes to stderr goes to a file. Thread: main, before others
// start and after they ended.
class StderrFile final {
 public:
  // Appends; errors name the file.
  static absl::StatusOr<std::unique_ptr<StderrFile>> Open(const std::string& path);
  ~StderrFile();
  StderrFile(const StderrFile&) = delete;

 private:
  explicit StderrFile(int stderr_before) : stderr_before_(stderr_before) {}
  const int stderr_before_;
};

// Lives as long as the FlagSet it was added to.
struct LogFlags {
  int64_t verbosity = 0;
  bool to_stderr = true;
  std::string file;
  std::string folder;
  std::string threshold = "INFO";

  void AddTo(FlagSet& flags);
  absl::Status Check() const;
  // What is written from here on.
  LogLevel level() const;
  // The file that the log goes to; empty: stderr. `now` names a file in `folder`.
  std::string Target(const std::string& program, absl::Time now) const;
  // Flags that contradict each other, one line each.
  std::vector<std::string> Notes() const;

 private:
  // Of flags without effect.
  bool also_to_stderr_ = false, legacy_threshold_ = false, one_output_ = false;
  bool folder_header_ = false, skip_headers_ = false, skip_file_headers_ = false;
  std::string backtrace_at_, levels_by_file_;
  absl::Duration flush_ = absl::Seconds(5);
  int64_t file_megabytes_ = 1800;
};

}  // namespace bth::cmd
