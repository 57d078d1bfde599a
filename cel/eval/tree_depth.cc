#include "cel/eval/tree_depth.h"

#include <utility>
#include <vector>

namespace bth::cel {
namespace {

void AppendChildren(const Expr& expr, std::vector<ExprId>* children) {
  children->push_back(expr.operand);
  children->insert(children->end(), expr.args.begin(), expr.args.end());
  for (const Entry& entry : expr.entries) {
    children->push_back(entry.key);
    children->push_back(entry.value);
  }
  if (!expr.comprehension) return;
  const Comprehension& fold = *expr.comprehension;
  for (const ExprId part : {fold.range, fold.accu_init, fold.condition, fold.step, fold.result}) {
    children->push_back(part);
  }
}

}  // namespace

bool TreeDepthExceeds(const Ast& ast, ExprId from, int depth_max) {
  std::vector<std::pair<ExprId, int>> open = {{from, 1}};
  std::vector<ExprId> children;
  while (!open.empty()) {
    const auto [id, depth] = open.back();
    open.pop_back();
    if (id == kNoExpr) continue;
    if (depth > depth_max) return true;
    children.clear();
    AppendChildren(ast[id], &children);
    for (const ExprId child : children) open.emplace_back(child, depth + 1);
  }
  return false;
}

}  // namespace bth::cel
