// `vcctl pod list`: the pods of batch jobs.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/json.h"
#include "cli/command/command.h"

namespace bth::cli {

// Sorted by namespace and name.
std::string PodTable(std::vector<types::Json> pods, bool with_namespace, absl::Time now);

Command PodCommand();

}  // namespace bth::cli
