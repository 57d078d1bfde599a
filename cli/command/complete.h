// What shells ask while a command line is being typed: `vcctl __complete job list -`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command/command.h"

namespace bth::cli {

// The first word of such a question. No help shows it.
inline constexpr std::string_view kCompleteCommand = "__complete";

// `line`: the words behind the program's name, of which the last, perhaps empty, is being typed.
// Flags that stand before it are read into their targets, so that offers know the namespace. The
// convention is cobra's: a line per candidate, "word<TAB>what it is"; of a flag's value without
// "--flag="; last ":" and a sum of 2 (no blank follows) and 4 (no names of files).
std::string CompletionText(const Command& root, const FlagSet& global,
                           const std::vector<std::string>& line, Session& session);

}  // namespace bth::cli
