// vjobs: one batch job, or those of a namespace.
#pragma once

#include "cli/command/command.h"

namespace bth::cli {

Command VjobsProgram();

}  // namespace bth::cli
