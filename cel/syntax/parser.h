// Text to tree, with macros expanded. Pure, any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "cel/syntax/ast.h"

namespace bth::cel {

struct ParseLimits {
  size_t code_points_max = 100'000;
  // Of expressions in expressions, and of operators, selections, calls and indices below another,
  // as in cel-go. Chains of && and || do not count, they become balanced trees. No node of a tree
  // is deeper than four times this, macros included.
  int depth_max = 250;
  size_t nodes_max = 200'000;  // Macros multiply their arguments.
  size_t errors_max = 100;
};

struct ParseOptions {
  ParseLimits limits;
  bool optional_syntax = true;      // a.?b, a[?b], [?x], {?k: v}
  bool two_variable_macros = true;  // all, exists, existsOne, transformList, transformMap ...
  bool sort_macro = true;           // sortBy
  bool bind_macro = false;          // cel.bind(): not in Kubernetes.
  bool quoted_names = false;        // a.`b-c`: not in Kubernetes.
};

// Errors: kInvalidArgument with one line per fault, `ERROR: <input>:LINE:COLUMN: what` and the
// place below it, as cel-go prints them.
absl::StatusOr<Ast> Parse(std::string_view source, const ParseOptions& options = {});

}  // namespace bth::cel
