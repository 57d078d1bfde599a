// What Kubernetes asks of literals beyond their types, once an expression is checked.
#pragma once

#include "absl/status/status.h"
#include "cel/environment.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/diagnostics.h"
#include "cel/types/checker.h"

namespace bth::cel {

// Reports
// - elements, keys and values of other types than the first, where the environment has
//   homogeneous_literals; arguments of format() may be of any types,
// - constants that duration(), timestamp() and text.matches() can only fail with.
void CheckLiterals(const CheckedAst& checked, const Environment& environment,
                   Diagnostics* diagnostics);

// Patterns of find() and findAll() that are none: what Kubernetes finds only when it makes a
// program of an expression. Errors: kInvalidArgument, the pattern's fault.
absl::Status CheckPatterns(const Ast& ast);

}  // namespace bth::cel
