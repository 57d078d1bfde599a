#include "metrics/process_metrics.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/log.h"
#include "base/strings.h"

namespace bth::metrics {
namespace {

// Files of /proc report size 0, so they are read until they end, up to a limit.
std::optional<std::string> ReadSmallFile(const std::string& path) {
  constexpr size_t kBytesMax = 1 << 20;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(kBytesMax, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  return text;
}

// The number after the line prefix `name`, in any column.
std::optional<double> NumberAfter(std::string_view text, absl::string_view name) {
  for (absl::string_view line : SplitText(text, '\n')) {
    if (line.substr(0, name.size()) != name) continue;
    for (absl::string_view word :
         absl::StrSplit(line.substr(name.size()), ' ', absl::SkipEmpty())) {
      double value = 0;
      if (absl::SimpleAtod(word, &value)) return value;
    }
  }
  return std::nullopt;
}

std::optional<double> CountFds(const std::string& proc_root) {
  std::error_code error;
  std::filesystem::directory_iterator entries(proc_root + "/self/fd", error);
  if (error) return std::nullopt;
  double count = 0;
  for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (error) return std::nullopt;
    ++count;
  }
  return count;
}

// Positions after the command name, which is in parentheses and may hold blanks: state is 0.
enum StatColumn {
  kUserTicks = 11,
  kSystemTicks = 12,
  kStartTicks = 19,
  kVirtual = 20,
  kPages = 21
};

void ReadStat(const std::string& stat, const std::string& proc_root, ProcessReading& reading) {
  const size_t end = stat.rfind(')');
  if (end == std::string::npos) return;
  const std::vector<absl::string_view> columns =
      absl::StrSplit(absl::string_view(stat).substr(end + 1), ' ', absl::SkipEmpty());
  auto column = [&columns](size_t at) -> std::optional<double> {
    double value = 0;
    if (at >= columns.size() || !absl::SimpleAtod(columns[at], &value)) return std::nullopt;
    return value;
  };
  const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::optional<double> user = column(kUserTicks);
  const std::optional<double> system = column(kSystemTicks);
  if (user && system) reading.cpu_seconds = (*user + *system) / ticks_per_second;
  reading.virtual_memory_bytes = column(kVirtual);
  if (const std::optional<double> pages = column(kPages)) {
    reading.resident_memory_bytes = *pages * static_cast<double>(sysconf(_SC_PAGESIZE));
  }
  const std::optional<std::string> system_stat = ReadSmallFile(proc_root + "/stat");
  const std::optional<double> start = column(kStartTicks);
  if (!system_stat || !start) return;
  if (const std::optional<double> boot = NumberAfter(*system_stat, "btime ")) {
    reading.start_time_seconds = *boot + *start / ticks_per_second;
  }
}

}  // namespace

ProcessReading ReadProcess(const std::string& proc_root) {
  ProcessReading reading;
  if (const auto stat = ReadSmallFile(proc_root + "/self/stat")) {
    ReadStat(*stat, proc_root, reading);
  }
  if (const auto limits = ReadSmallFile(proc_root + "/self/limits")) {
    reading.max_fds = NumberAfter(*limits, "Max open files");
  }
  reading.open_fds = CountFds(proc_root);
  // Where there is no /proc, nothing is told of this process.
  if (reading.open_fds) reading.log_lines_lost = static_cast<double>(LogLinesLost());
  return reading;
}

}  // namespace bth::metrics
