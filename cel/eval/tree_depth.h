// How deep a tree nests, looked at before anything walks it by recursion.
#pragma once

#include "cel/syntax/ast.h"

namespace bth::cel {

bool TreeDepthExceeds(const Ast& ast, int depth_max);

}  // namespace bth::cel
