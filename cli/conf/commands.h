// `vcctl conf`: for administrators, of the scheduler's policy.
#pragma once

#include "cli/command/command.h"

namespace bth::cli {

Command ConfCommand();

}  // namespace bth::cli
