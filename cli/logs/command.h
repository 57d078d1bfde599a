// `vcctl job logs`: what the pods of a job write. Not a command of Volcano's.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/command/command.h"
#include "cli/job/flags.h"
#include "cli/logs/log_pods.h"

namespace bth::cli {

struct LogsFlags {
  JobFlags job;
  LogChoice choice;
  int64_t index = -1;    // Negative: all.
  int64_t tail = -1;     // Negative: all lines.
  absl::Duration since;  // Zero: from the beginning.
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  bool prefix = false;
};

absl::Status ShowLogs(Session& session, LogsFlags flags);

Command LogsCommand();

}  // namespace bth::cli
