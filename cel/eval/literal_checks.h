// Arguments that are written out and can never be what the call needs.
#pragma once

#include "absl/status/status.h"
#include "cel/types/checker.h"

namespace bth::cel {

// Looks at duration("…"), timestamp("…") and patterns of matches(). Errors: kInvalidArgument, one
// line per fault, as the checker gives them.
absl::Status CheckLiterals(const CheckedAst& checked);

}  // namespace bth::cel
