// What the log says of watches that bring nothing: once per cause, then ever more rarely.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "base/spaced_lines.h"
#include "net/awaitable.h"

namespace bth::client {

// Thread: the executor's. Lifetime: longer than the informers that tell it.
class WatchNotices final {
 public:
  // `role`: the manifest that grants what is read, for messages.
  WatchNotices(net::Executor& executor, std::string role);

  // A list or watch of `resource` failed, and is tried again.
  void Failed(const std::string& resource, const absl::Status& status);
  // The server does not know `definition` (as in "queues.scheduling.volcano.sh"), or knows it now.
  void Presence(const std::string& definition, bool is_there);

 private:
  net::Executor& executor_;
  const std::string role_;
  SpacedLines failures_;
  SpacedLines missing_{{.pause_first = absl::Minutes(1), .pause_max = absl::Hours(1)}};
};

}  // namespace bth::client
