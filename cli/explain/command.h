// `vcctl job explain` and `vcctl queue explain`.
#pragma once

#include "cli/command/command.h"

namespace bth::cli {

Command ExplainJobCommand();
Command ExplainQueuesCommand();

}  // namespace bth::cli
