// `vcctl pod list`: the pods of batch jobs.
#pragma once

#include <string>
#include <vector>

#include "api/types/json.h"
#include "cli/command/command.h"
#include "cli/print/terminal.h"
#include "cli/print/times.h"

namespace bth::cli {

// Sorted by namespace and name.
std::string PodTable(std::vector<types::Json> pods, bool with_namespace, const TimeStyle& times,
                     const Terminal& terminal = {});

Command PodCommand();

}  // namespace bth::cli
