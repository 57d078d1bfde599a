// What the planner looks up and keeps.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/eval/candidates.h"
#include "cel/eval/planner.h"

namespace bth::cel {

const Reference& Planner::ReferenceOf(ExprId id) const {
  static const Reference kNone;
  const auto index = static_cast<size_t>(id);
  return index < checked_.references.size() ? checked_.references[index] : kNone;
}

// Innermost first. A name that begins with a dot is looked up from the root.
const int32_t* Planner::FindLocal(std::string_view name) const {
  for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
    if (local->name == name) return &local->slot;
  }
  return nullptr;
}

bool Planner::IsIdent(ExprId id, std::string_view name) const {
  return ast_[id].kind == ExprKind::kIdent && ast_[id].name == name;
}

std::optional<std::vector<std::string>> Planner::NamesOf(ExprId id) const {
  std::vector<std::string> names;
  while (ast_[id].kind == ExprKind::kSelect && !ast_[id].test_only) {
    names.push_back(ast_[id].name);
    id = ast_[id].operand;
  }
  if (ast_[id].kind != ExprKind::kIdent) return std::nullopt;
  names.push_back(ast_[id].name);
  std::reverse(names.begin(), names.end());
  return names;
}

std::vector<std::string> Planner::NamesInContainers(std::string_view name) const {
  return bth::cel::NamesInContainers(environment_, name);
}

const Function* Planner::QualifiedFunction(const Expr& expr) const {
  if (expr.operand == kNoExpr) return nullptr;
  const auto path = NamesOf(expr.operand);
  if (!path || FindLocal(path->front()) != nullptr) return nullptr;
  std::string name;
  for (const std::string& part : *path) StrAppend(&name, part, ".");
  const Function* function = FindInContainers(environment_, name + expr.name);
  if (function == nullptr) return nullptr;
  const bool is_called = std::any_of(function->overloads.begin(), function->overloads.end(),
                                     [](const Overload& overload) { return !overload.member; });
  return is_called ? function : nullptr;
}

StepId Planner::Add(Step step) {
  plan_.steps.push_back(step);
  return static_cast<StepId>(plan_.steps.size()) - 1;
}

StepId Planner::AddConstant(Value value) {
  plan_.constants.push_back(std::move(value));
  return Add(
      {.kind = StepKind::kConstant, .table = static_cast<int32_t>(plan_.constants.size()) - 1});
}

int32_t Planner::AddText(std::string_view text) {
  plan_.texts.emplace_back(text);
  return static_cast<int32_t>(plan_.texts.size()) - 1;
}

bool Planner::IsConstant(StepId id) const {
  return plan_[id].kind == StepKind::kConstant;
}

const Value& Planner::ConstantOf(StepId id) const {
  return plan_.constants[static_cast<size_t>(plan_[id].table)];
}

uint8_t Planner::CostAsBase(StepId id) const {
  return plan_[id].is_attribute ? 0 : 1;
}

void Planner::MakePart(StepId id) {
  Step& step = plan_.steps[static_cast<size_t>(id)];
  if (step.is_attribute && step.cost > 0) --step.cost;
}

}  // namespace bth::cel
