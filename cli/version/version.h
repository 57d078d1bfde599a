// `vcctl version`.
#pragma once

#include "cli/command/command.h"

namespace bth::cli {

Command VersionCommand();

}  // namespace bth::cli
