// Where the logs of containers come from: whoever runs the pods knows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/types/json.h"

namespace bth::apiserver {

struct LoggedLine {
  absl::Time time;
  std::string text;  // Without its end.
};

// What a run of a container has written up to now, in order. Later calls begin with the same lines.
struct LoggedLines {
  std::vector<LoggedLine> lines;
  // When there are more, though nothing of the pod changes; infinite: then not.
  absl::Time next = absl::InfiniteFuture();
};

// What a read of a log asks for: what of PodLogOptions a source needs to know.
struct LogOptions {
  std::string container;  // One of the pod's, that has run.
  bool previous = false;  // The run before the one in the pod's status.
  absl::Time now;
};

// Thread: the server's executor. Must not wait.
using LogSource =
    std::function<absl::StatusOr<LoggedLines>(const types::Json& pod, const LogOptions& options)>;

}  // namespace bth::apiserver
