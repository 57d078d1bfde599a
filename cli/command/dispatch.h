// From a command line to the command it means, and to the exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"

namespace bth::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitUsage = 1;     // The command line is wrong: told on stderr.
inline constexpr int kExitFailed = 255;  // The command failed: told on stdout, as Volcano does.

// `root` is the program; `global` are the flags that each of its commands has. `args` begin after
// the program's name. Help, mistakes and failures are written to the session's streams.
int Dispatch(Command root, const FlagSet& global, const std::vector<std::string>& args,
             Session& session);

}  // namespace bth::cli
