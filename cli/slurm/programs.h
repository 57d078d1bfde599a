// The programs of one command: vsub, vjobs, vqueues, vcancel, vresume, vsuspend.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "cli/command/command.h"

namespace bth::cli {

inline constexpr std::array<std::string_view, 6> kSlurmPrograms = {
    "vsub", "vjobs", "vqueues", "vcancel", "vsuspend", "vresume"};

// Nothing, when there is no such program. vsub has defaults from the environment.
std::optional<Command> SlurmProgram(std::string_view name, const Session& session);

}  // namespace bth::cli
