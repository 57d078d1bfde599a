// What the operating system knows of this process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bth::metrics {

// A value is absent when the file it comes from cannot be read.
struct ProcessReading {
  std::optional<double> cpu_seconds;
  std::optional<double> start_time_seconds;  // Unix time.
  std::optional<double> resident_memory_bytes;
  std::optional<double> virtual_memory_bytes;
  std::optional<double> open_fds;
  std::optional<double> max_fds;
  std::optional<double> log_lines_lost;  // As base/log.h counts them.
};

// Reads `proc_root`/self/{stat,fd,limits} and `proc_root`/stat. Cost: some tens of microseconds.
ProcessReading ReadProcess(const std::string& proc_root);

}  // namespace bth::metrics
