// The tree of queues with what each holds, as bars. Pure function of what was read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "cli/print/terminal.h"

namespace bth::cli {

struct QueueFacts {
  std::vector<types::Json> queues;      // All of them.
  std::vector<types::Json> pod_groups;  // Of all namespaces.
  // What the scheduler's last cycle says of each; empty: it was not asked.
  std::map<std::string, types::Json> pages;
};

// Its page about queues, by their names.
std::map<std::string, types::Json> PagesByQueue(const types::Json& page);

// Each queue with its state, weight and pod groups, and a bar for each resource that it holds or
// has limits of. `name`: only this queue, those below it and those above it; empty: all. Not found:
// it is not among the queues.
absl::StatusOr<std::string> ExplainQueuesText(const QueueFacts& facts, const std::string& name,
                                              const Terminal& terminal);

}  // namespace bth::cli
