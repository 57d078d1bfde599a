// A command line cut into words as a shell does it, without expansions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace bth::cli {

// Blanks separate; '…' is literal; "…" and words know backslashes; # at the beginning of a word
// begins a comment up to the end of the line. kInvalidArgument where a quote stays open.
absl::StatusOr<std::vector<std::string>> SplitShellWords(std::string_view text);

}  // namespace bth::cli
