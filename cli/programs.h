// The programs: vcctl and those of one command, which are the same binary under other names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/session/session.h"

namespace bth::cli {

// `called` is argv[0]: its last part says which program it is; vcctl, where it is none of them.
// Returns the exit code.
int RunProgram(std::string_view called, const std::vector<std::string>& args, Session& session);

}  // namespace bth::cli
