// Comprehensions that only build a list or a map, told from others by their trees.
#pragma once

#include <string_view>

#include "cel/eval/plan.h"
#include "cel/syntax/ast.h"

namespace bth::cel {

struct FoldShape {
  FoldKind kind = FoldKind::kGeneral;
  // Of those that build; kNoExpr: none.
  ExprId filter = kNoExpr;
  ExprId key = kNoExpr;
  ExprId element = kNoExpr;
};

FoldShape ShapeOf(const Ast& ast, const Comprehension& fold);

// Whether it goes over nothing and only gives a name to `accu_init`, for its result.
bool IsBinding(const Ast& ast, const Comprehension& fold);

bool IsIdent(const Ast& ast, ExprId id, std::string_view name);

}  // namespace bth::cel
