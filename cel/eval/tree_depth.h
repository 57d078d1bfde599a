// How deep a tree nests, looked at before anything walks it by recursion.
#pragma once

#include "cel/syntax/ast.h"

namespace bth::cel {

// The tree below `from`, which counts as one level.
bool TreeDepthExceeds(const Ast& ast, ExprId from, int depth_max);

}  // namespace bth::cel
