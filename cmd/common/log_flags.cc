#include "cmd/common/log_flags.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "base/strings.h"

namespace bth::cmd {
namespace {

constexpr int64_t kDebugVerbosity = 3;

// klog's severities, by name or number.
std::optional<LogLevel> ParseSeverity(const std::string& text) {
  const std::string word = absl::AsciiStrToUpper(text);
  if (word == "INFO" || word == "0") return LogLevel::kInfo;
  if (word == "WARNING" || word == "1") return LogLevel::kWarning;
  if (word == "ERROR" || word == "2" || word == "FATAL" || word == "3") return LogLevel::kError;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::unique_ptr<StderrFile>> StderrFile::Open(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  const int before = file < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (before < 0 || dup2(file, STDERR_FILENO) < 0) {
    const int error = errno;
    if (file >= 0) close(file);
    if (before >= 0) close(before);
    return absl::InvalidArgumentError(
        StrCat("cannot write the log file ", path, ": ", std::strerror(error)));
  }
  close(file);
  return std::unique_ptr<StderrFile>(new StderrFile(before));
}

StderrFile::~StderrFile() {
  dup2(stderr_before_, STDERR_FILENO);
  close(stderr_before_);
}

void LogFlags::AddTo(FlagSet& flags) {
  flags.Add("v", &verbosity, "Log level: from 2 the flags, from 3 every decision and detail");
  flags.Add("logtostderr", &to_stderr, "Log to stderr; false: to --log-file or into --log-dir");
  flags.Add("log-file", &file, "Where the log goes when it does not go to stderr");
  flags.Add("log-dir", &folder, "Where a log file is made when there is no --log-file");
  flags.Add("stderrthreshold", &threshold, "Leave out what is less: INFO, WARNING or ERROR");
  const auto add = [&flags](std::string_view name, auto* target, std::string_view why) {
    flags.Add(name, target, StrCat("No effect: ", why));
    flags.WithoutEffect(name, why);
  };
  const std::string_view one_format = "lines have one format";
  add("alsologtostderr", &also_to_stderr_, "the log goes to one place: stderr or the file");
  add("one-output", &one_output_, "there is one log for all severities");
  add("log-file-max-size", &file_megabytes_,
      "the file is only appended to: rotate it from outside, by copying and truncating");
  add("log-flush-frequency", &flush_, "lines are written at once");
  add("log-backtrace-at", &backtrace_at_, "no stacks are logged");
  add("vmodule", &levels_by_file_, "the level holds for the whole program: use -v");
  add("legacy-stderr-threshold-behavior", &legacy_threshold_,
      "--stderrthreshold holds with and without --logtostderr");
  add("add-dir-header", &folder_header_, one_format);
  add("skip-headers", &skip_headers_, one_format);
  add("skip-log-headers", &skip_file_headers_, one_format);
}

absl::Status LogFlags::Check() const {
  if (ParseSeverity(threshold).has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("--stderrthreshold: \"", threshold, "\" is none of INFO, WARNING, ERROR"));
}

LogLevel LogFlags::level() const {
  const LogLevel least = ParseSeverity(threshold).value_or(LogLevel::kInfo);
  return least == LogLevel::kInfo && verbosity >= kDebugVerbosity ? LogLevel::kDebug : least;
}

std::string LogFlags::Target(const std::string& program, absl::Time now) const {
  if (to_stderr) return "";
  if (!file.empty() || folder.empty()) return file;
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  return StrCat(folder, "/", program, ".", host, ".",
                absl::FormatTime("%Y%m%d-%H%M%S", now, absl::UTCTimeZone()), ".", getpid(), ".log");
}

std::vector<std::string> LogFlags::Notes() const {
  std::vector<std::string> notes;
  for (const auto& [name, value] : {std::pair("log-file", &file), std::pair("log-dir", &folder)}) {
    if (!to_stderr || value->empty()) continue;
    notes.push_back(StrCat("--", name, ": the log goes to stderr; add --logtostderr=false"));
  }
  if (!to_stderr && file.empty() && folder.empty()) {
    notes.push_back("--logtostderr: the log stays on stderr; add --log-file or --log-dir");
  }
  return notes;
}

}  // namespace bth::cmd
