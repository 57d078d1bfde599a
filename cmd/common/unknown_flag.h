// What is said about a flag that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::cmd {

// "unknown flag: --lead-elect (did you mean --leader-elect?)". `arg` as it was given, with its
// value; `known` without dashes.
std::string UnknownFlag(std::string_view arg, const std::vector<std::string>& known);

}  // namespace bth::cmd
