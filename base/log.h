// Structured log lines on stderr: a constant event name and fields.
//
//   Log(LogLevel::kInfo, "job.bound", {{"job", name}, {"cycle", n}});
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace bth {

// Error: a human must act. Info: state changed. Debug: off by default.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

// One key with its value, rendered at once; a field lives for one call.
struct LogField {
  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  LogField(std::string_view k, bool v) : key(k), value(v ? "true" : "false"), quoted(false) {}
  LogField(std::string_view k, double v);
  LogField(std::string_view k, absl::Duration v);
  LogField(std::string_view k, const absl::Status& v) : key(k), value(v.ToString()) {}
  template <typename Int>
  requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool>)
      LogField(std::string_view k, Int v)
      : key(k), value(std::to_string(v)), quoted(false) {}

  std::string_view key;
  std::string value;
  bool quoted = true;
};

// Writes one line; lines of several threads never mix. One that cannot be written (a full disk, a
// pipe that nobody reads) is lost and counted; `log.lines_lost` tells of it when it works again.
// Thread: any.
void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

// Lines below `level` are dropped. kInfo at start.
void SetLogLevel(LogLevel level);
bool LogEnabled(LogLevel level);

// Lines that could not be written, since the start of the process.
int64_t LogLinesLost();

}  // namespace bth
