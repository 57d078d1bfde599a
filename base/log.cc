#include "base/log.h"

#include <atomic>
#include <cstdio>

#include "absl/strings/escaping.h"
#include "absl/time/clock.h"
#include "base/strings.h"

namespace bth {
namespace {

std::atomic<LogLevel> g_level{LogLevel::kInfo};
std::atomic<int64_t> g_lines_lost{0};
std::atomic<int64_t> g_lines_lost_told{0};

absl::string_view View(std::string_view text) {
  return {text.data(), text.size()};
}

const char* LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "?";
}

bool NeedsQuotes(std::string_view value) {
  if (value.empty()) return true;
  for (char c : value) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f) return true;
  }
  return false;
}

// One call: stdio locks the stream.
bool Write(const std::string& line) {
  if (std::fwrite(line.data(), 1, line.size(), stderr) == line.size()) return true;
  std::clearerr(stderr);
  return false;
}

}  // namespace

LogField::LogField(std::string_view k, double v) : key(k), value(StrCat(v)), quoted(false) {}
LogField::LogField(std::string_view k, absl::Duration v)
    : key(k), value(absl::FormatDuration(v)), quoted(false) {}

void SetLogLevel(LogLevel level) {
  g_level.store(level, std::memory_order_relaxed);
}
bool LogEnabled(LogLevel level) {
  return level >= g_level.load(std::memory_order_relaxed);
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (!LogEnabled(level)) return;
  std::string line = absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::Now(), absl::UTCTimeZone());
  StrAppend(&line, " ", LevelName(level), " ", View(event));
  for (const LogField& field : fields) {
    StrAppend(&line, " ", View(field.key), "=");
    if (field.quoted && NeedsQuotes(field.value)) {
      StrAppend(&line, "\"", absl::Utf8SafeCEscape(field.value), "\"");
    } else {
      StrAppend(&line, field.value);
    }
  }
  line.push_back('\n');
  if (!Write(line)) {
    g_lines_lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const int64_t lost = g_lines_lost.load(std::memory_order_relaxed);
  const int64_t told = g_lines_lost_told.exchange(lost, std::memory_order_relaxed);
  if (told >= lost) return;
  Log(LogLevel::kError, "log.lines_lost",
      {{"lines", lost - told}, {"why", "they could not be written"}});
}

int64_t LogLinesLost() {
  return g_lines_lost.load(std::memory_order_relaxed);
}

}  // namespace bth
