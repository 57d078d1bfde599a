// `vcctl completion`: scripts for shells, which then ask `vcctl __complete` while a line is typed.
// Volcano has none.
#pragma once

#include <string>
#include <string_view>

#include "cli/command/command.h"

namespace bth::cli {

Command CompletionCommand();

// The scripts, for all programs. `shell`: bash, zsh or fish; empty for others.
std::string CompletionScript(std::string_view shell);

}  // namespace bth::cli
