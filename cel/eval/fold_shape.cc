#include "cel/eval/fold_shape.h"

#include <string_view>

#include "cel/syntax/operators.h"

namespace bth::cel {
namespace {

// accu + [element]
FoldShape AppendShape(const Ast& ast, const Expr& insert, const Comprehension& fold) {
  if (insert.args.size() != 2) return {};
  const Expr& list = ast[insert.args[1]];
  if (list.kind != ExprKind::kList || list.args.size() != 1 || !list.optional_args.empty() ||
      IsIdent(ast, list.args[0], fold.accu_var)) {
    return {};
  }
  return {.kind = FoldKind::kList, .element = list.args[0]};
}

// cel.@mapInsert(accu, key, value), cel.@mapInsert(accu, map)
FoldShape InsertShape(const Expr& insert) {
  if (insert.args.size() == 2) return {.kind = FoldKind::kMap, .element = insert.args[1]};
  if (insert.args.size() != 3) return {};
  return {.kind = FoldKind::kMap, .key = insert.args[1], .element = insert.args[2]};
}

}  // namespace

bool IsIdent(const Ast& ast, ExprId id, std::string_view name) {
  return ast[id].kind == ExprKind::kIdent && ast[id].name == name;
}

bool IsBinding(const Ast& ast, const Comprehension& fold) {
  const Expr& range = ast[fold.range];
  const Expr& condition = ast[fold.condition];
  return range.kind == ExprKind::kList && range.args.empty() &&
         condition.kind == ExprKind::kConstant && condition.constant == Constant(false);
}

FoldShape ShapeOf(const Ast& ast, const Comprehension& fold) {
  const Expr& init = ast[fold.accu_init];
  const Expr& condition = ast[fold.condition];
  const bool is_list = init.kind == ExprKind::kList && init.args.empty();
  const bool is_map = init.kind == ExprKind::kMap && init.entries.empty();
  if ((!is_list && !is_map) || !IsIdent(ast, fold.result, fold.accu_var)) return {};
  if (condition.kind != ExprKind::kConstant || condition.constant != Constant(true)) return {};
  const Expr* insert = &ast[fold.step];
  ExprId filter = kNoExpr;
  if (insert->kind == ExprKind::kCall && insert->name == op::kConditional &&
      insert->args.size() == 3 && IsIdent(ast, insert->args[2], fold.accu_var)) {
    filter = insert->args[0];
    insert = &ast[insert->args[1]];
  }
  const std::string_view function = is_list ? op::kAdd : op::kMapInsert;
  if (insert->kind != ExprKind::kCall || insert->name != function || insert->args.empty() ||
      insert->operand != kNoExpr || !IsIdent(ast, insert->args[0], fold.accu_var)) {
    return {};
  }
  FoldShape shape = is_list ? AppendShape(ast, *insert, fold) : InsertShape(*insert);
  shape.filter = filter;
  return shape;
}

}  // namespace bth::cel
