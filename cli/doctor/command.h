// `vcctl doctor`: looks at an installation.
#pragma once

#include "cli/command/command.h"

namespace bth::cli {

Command DoctorCommand();

}  // namespace bth::cli
