// `vcctl job wait`: until a batch job is in a phase. Not a command of Volcano's.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/command/command.h"
#include "cli/job/flags.h"

namespace bth::cli {

struct WaitFlags {
  JobFlags job;
  std::string phases = "Completed";  // Any of them; "delete": until it is gone.
  absl::Duration timeout;            // Zero: without end.
};

absl::Status WaitForJob(Session& session, const WaitFlags& flags);

Command WaitCommand();

}  // namespace bth::cli
