#include "cel/syntax/ast_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace bth::cel {
namespace {

// Macros put several nodes around each of their arguments.
constexpr int kNodesDeepPerDepth = 4;

// Replaces the children of a copied node by their copies.
template <typename Map>
void MapChildren(Expr* expr, Map map) {
  const auto one = [&map](ExprId* id) {
    if (*id != kNoExpr) *id = map(*id);
  };
  one(&expr->operand);
  for (ExprId& arg : expr->args) one(&arg);
  for (Entry& entry : expr->entries) {
    one(&entry.key);
    one(&entry.value);
  }
  if (!expr->comprehension) return;
  Comprehension& fold = *expr->comprehension;
  for (ExprId* id : {&fold.range, &fold.accu_init, &fold.condition, &fold.step, &fold.result}) {
    one(id);
  }
}

}  // namespace

ExprId AstBuilder::Literal(int32_t offset, Constant value) {
  Expr expr;
  expr.kind = ExprKind::kConstant;
  expr.offset = offset;
  expr.constant = std::move(value);
  return Add(std::move(expr), false);
}

ExprId AstBuilder::Ident(int32_t offset, std::string name) {
  Expr expr;
  expr.kind = ExprKind::kIdent;
  expr.offset = offset;
  expr.name = std::move(name);
  return Add(std::move(expr), false);
}

ExprId AstBuilder::Select(int32_t offset, ExprId operand, std::string field) {
  Expr expr;
  expr.kind = ExprKind::kSelect;
  expr.offset = offset;
  expr.operand = operand;
  expr.name = std::move(field);
  return Add(std::move(expr), true);
}

ExprId AstBuilder::Call(int32_t offset, std::string_view function, std::vector<ExprId> args) {
  Expr expr;
  expr.kind = ExprKind::kCall;
  expr.offset = offset;
  expr.name = std::string(function);
  expr.args = std::move(args);
  // f(x) nests only as its argument does; operators that chain count, && and || are balanced.
  const bool chains = function.starts_with('_') && function != "_&&_" && function != "_||_";
  return Add(std::move(expr), chains || function == "@in");
}

ExprId AstBuilder::MemberCall(int32_t offset, ExprId target, std::string_view function,
                              std::vector<ExprId> args) {
  Expr expr;
  expr.kind = ExprKind::kCall;
  expr.offset = offset;
  expr.operand = target;
  expr.name = std::string(function);
  expr.args = std::move(args);
  return Add(std::move(expr), true);
}

ExprId AstBuilder::List(int32_t offset, std::vector<ExprId> items,
                        std::vector<int32_t> optional_items) {
  Expr expr;
  expr.kind = ExprKind::kList;
  expr.offset = offset;
  expr.args = std::move(items);
  expr.optional_args = std::move(optional_items);
  return Add(std::move(expr), false);
}

ExprId AstBuilder::Map(int32_t offset, std::vector<Entry> entries) {
  Expr expr;
  expr.kind = ExprKind::kMap;
  expr.offset = offset;
  expr.entries = std::move(entries);
  return Add(std::move(expr), false);
}

ExprId AstBuilder::Struct(int32_t offset, std::string name, std::vector<Entry> entries) {
  Expr expr;
  expr.kind = ExprKind::kStruct;
  expr.offset = offset;
  expr.name = std::move(name);
  expr.entries = std::move(entries);
  return Add(std::move(expr), false);
}

ExprId AstBuilder::Fold(int32_t offset, Comprehension comprehension) {
  Expr expr;
  expr.kind = ExprKind::kComprehension;
  expr.offset = offset;
  expr.comprehension = std::move(comprehension);
  return Add(std::move(expr), false);
}

ExprId AstBuilder::TestOnly(int32_t offset, ExprId select) {
  Expr expr = (*this)[select];
  expr.offset = offset;
  expr.test_only = true;
  return Add(std::move(expr), true);
}

ExprId AstBuilder::Add(Expr expr, bool counted) {
  if (nodes_.size() >= limits_.nodes_max) {
    PassLimit(StrCat("expression has too many nodes: limit ", limits_.nodes_max));
    return static_cast<ExprId>(nodes_.size()) - 1;  // Nobody sees the tree anymore.
  }
  Depth deepest;
  ForEachChild(expr, [this, &deepest](ExprId child) {
    const Depth& depth = depths_[static_cast<size_t>(child)];
    deepest.nodes = std::max(deepest.nodes, depth.nodes);
    deepest.counted = std::max(deepest.counted, depth.counted);
  });
  ++deepest.nodes;
  if (counted && counting_) ++deepest.counted;
  CheckDepth(deepest);
  nodes_.push_back(std::move(expr));
  depths_.push_back(deepest);
  return static_cast<ExprId>(nodes_.size()) - 1;
}

void AstBuilder::CountExpanded(ExprId id) {
  Depth& depth = depths_[static_cast<size_t>(id)];
  ++depth.counted;
  CheckDepth(depth);
}

void AstBuilder::CheckDepth(const Depth& depth) {
  if (depth.counted > limits_.depth_max || depth.nodes > limits_.depth_max * kNodesDeepPerDepth) {
    PassLimit("max recursion depth exceeded");
  }
}

void AstBuilder::PassLimit(std::string what) {
  if (!limit_passed_) diagnostics_.ReportWhole(std::move(what));
  limit_passed_ = true;
}

std::vector<ExprId> AstBuilder::Children(ExprId id) const {
  std::vector<ExprId> children;
  ForEachChild((*this)[id], [&children](ExprId child) { children.push_back(child); });
  return children;
}

ExprId AstBuilder::Copy(ExprId id) {
  // Children first: `copies` holds those that are made and not yet taken by their parent.
  struct Step {
    ExprId id;
    bool children_done;
  };
  std::vector<Step> steps = {{id, false}};
  std::vector<ExprId> copies;
  while (!steps.empty() && !limit_passed_) {
    const Step step = steps.back();
    steps.pop_back();
    const std::vector<ExprId> children = Children(step.id);
    if (!step.children_done) {
      steps.push_back({step.id, true});
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        steps.push_back({*child, false});
      }
      continue;
    }
    Expr expr = (*this)[step.id];
    size_t next = copies.size() - children.size();
    const size_t first = next;
    MapChildren(&expr, [&copies, &next](ExprId) { return copies[next++]; });
    copies.resize(first);
    copies.push_back(Add(std::move(expr), false));
    if (!limit_passed_) depths_.back() = depths_[static_cast<size_t>(step.id)];
  }
  return limit_passed_ ? id : copies.back();
}

ExprId AstBuilder::Balanced(std::string_view op, const std::vector<ExprId>& terms,
                            const std::vector<int32_t>& offsets) {
  // As cel-go: the operator in the middle of [low, high] of the operators is the root of them.
  // The recursion is as deep as the logarithm of their number.
  const auto build = [&](const auto& self, size_t low, size_t high) -> ExprId {
    const size_t middle = (low + high + 1) / 2;
    const ExprId left = middle == low ? terms[middle] : self(self, low, middle - 1);
    const ExprId right = middle == high ? terms[middle + 1] : self(self, middle + 1, high);
    return Call(offsets[middle], op, {left, right});
  };
  if (terms.size() == 1) return terms[0];
  return build(build, 0, offsets.size() - 1);
}

Ast AstBuilder::Take(std::string source, ExprId root) {
  return {std::move(source), std::move(nodes_), root};
}

}  // namespace bth::cel
