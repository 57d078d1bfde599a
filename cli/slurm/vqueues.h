// vqueues: one queue, or all of them, with the counters that a controller wrote into their status.
#pragma once

#include <string>
#include <vector>

#include "api/types/json.h"
#include "cli/command/command.h"
#include "cli/print/terminal.h"

namespace bth::cli {

std::string QueueStatusTable(const std::vector<types::Json>& queues, const Terminal& terminal = {});

Command VqueuesProgram();

}  // namespace bth::cli
