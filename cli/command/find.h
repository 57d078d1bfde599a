// Which command of a tree a command line means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command/command.h"

namespace bth::cli {

struct FoundCommand {
  CommandPath path;
  std::vector<std::string> args;  // Without the names of commands.
  std::string unknown;            // A word that is no command of the program.
};

// Follows the names of commands as far as there are any. `global` are the flags that each command
// has. `root` outlives the path.
FoundCommand FindCommand(const Command& root, const FlagSet& global, std::vector<std::string> args);

// What --help and completion call the command that every program with commands has.
inline constexpr std::string_view kHelpCommand = "help";

}  // namespace bth::cli
