// What --help prints, in the layout of cobra.
#pragma once

#include <string>

#include "cli/command/command.h"

namespace bth::cli {

// `own`: the flags of the command itself, with --help. `global`: those it has from the program;
// empty for the program itself.
struct HelpFlags {
  FlagSet own;
  FlagSet global;
};

// Usage, commands and flags.
std::string UsageText(const CommandPath& path, const HelpFlags& flags);

// The same below what the command does.
std::string HelpText(const CommandPath& path, const HelpFlags& flags);

// A program's commands and examples in 24 lines of 80 columns.
std::string ScreenText(const Command& program);

}  // namespace bth::cli
