// `vcctl queue get` and `list`: queues with the pod groups in them, counted by phase.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/types/json.h"
#include "cli/print/terminal.h"
#include "cli/queue/commands.h"

namespace bth::cli {

// Pod groups of other queues are passed over; those of children do not count for their parents.
std::string QueueTable(const std::vector<types::Json>& queues,
                       const std::vector<types::Json>& pod_groups, const Terminal& terminal = {});

absl::Status GetQueue(Session& session, const QueueFlags& flags);
absl::Status ListQueues(Session& session, const QueueFlags& flags);

}  // namespace bth::cli
