// Calls of string.format() that can only fail, found when an expression is checked.
#pragma once

#include "cel/syntax/diagnostics.h"
#include "cel/types/checker.h"

namespace bth::cel {

// Reports calls whose format is a literal and whose arguments are written as a list: clauses that
// are none, arguments of kinds that their clauses do not take, too few and too many of them.
void CheckFormatCalls(const CheckedAst& checked, Diagnostics& diagnostics);

}  // namespace bth::cel
