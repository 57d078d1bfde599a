// vqueues: one queue, or all of them, with the counters that a controller wrote into their status.
#pragma once

#include <string>
#include <vector>

#include "api/types/json.h"
#include "cli/command/command.h"

namespace bth::cli {

std::string QueueStatusTable(const std::vector<types::Json>& queues);

Command VqueuesProgram();

}  // namespace bth::cli
