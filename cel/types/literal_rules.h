// What Kubernetes asks of literals beyond their types, once an expression is checked.
#pragma once

#include "cel/environment.h"
#include "cel/syntax/diagnostics.h"
#include "cel/types/checker.h"

namespace bth::cel {

// Reports
// - elements, keys and values of other types than the first, with
// Environment::homogeneous_literals;
//   arguments of format() may be of any types,
// - texts of duration(), timestamp() and matches() that can only fail.
void CheckLiterals(const CheckedAst& checked, const Environment& environment,
                   Diagnostics* diagnostics);

}  // namespace bth::cel
