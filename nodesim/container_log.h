// What a simulated container has in its log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/pod.h"

namespace bth::nodesim {

// One run of a container, as the pod's status tells of it.
struct LoggedRun {
  absl::Time started;
  std::optional<absl::Time> ended;  // None: it runs.
  int exit_code = 0;
};

struct LogLine {
  absl::Time time;
  std::string text;  // Without its end.
};

struct ContainerLog {
  std::vector<LogLine> lines;  // In order, up to now.
  // When there will be more, if the run is not cut short; infinite: not by itself.
  absl::Time next = absl::InfiniteFuture();
};

// No program runs, so that the log is made of what is known: a line of ours that names the command
// and how long it goes on, what echo and printf of it print at their time, and how it ended. Lines
// of ours begin with "simulated: ". Bounded: what is beyond 10,000 lines or 1 MiB is left out, and
// a line says so. Pure: the same run has the same log at any time.
ContainerLog LogOf(const types::Container& container, const LoggedRun& run, absl::Time now);

// The run that is in `status`, or the one before it.
std::optional<LoggedRun> RunIn(const types::ContainerStatus& status, bool previous);

}  // namespace bth::nodesim
