// What echo and printf write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::nodesim {

// `words` is the command line, the program's name first. Knows -n and -e of echo; backslashes, %s,
// %d and %% of printf, whose format is used again for further words. Empty for other programs, and
// where the output goes to a file. Pure, and bounded: a format is not used any more
// beyond 64 KiB.
std::string PrintedBy(std::string_view program, const std::vector<std::string>& words);

}  // namespace bth::nodesim
