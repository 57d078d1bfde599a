// `vcctl top`: who uses what of the cluster. Not a command of Volcano's.
#pragma once

#include "cli/command/command.h"

namespace bth::cli {

Command TopCommand();

}  // namespace bth::cli
