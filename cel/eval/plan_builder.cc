#include "cel/eval/plan_builder.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bth::cel {
StepId PlanBuilder::Add(Step step) {
  plan_.steps.push_back(step);
  return static_cast<StepId>(plan_.steps.size()) - 1;
}

StepId PlanBuilder::AddConstant(Value value) {
  plan_.constants.push_back(std::move(value));
  return Add(
      {.kind = StepKind::kConstant, .table = static_cast<int32_t>(plan_.constants.size()) - 1});
}

int32_t PlanBuilder::AddText(std::string_view text) {
  plan_.texts.emplace_back(text);
  return static_cast<int32_t>(plan_.texts.size()) - 1;
}

int32_t PlanBuilder::VariablePlace(std::string_view name) {
  auto& variables = plan_.variables;
  const auto found = std::find(variables.begin(), variables.end(), name);
  const auto place = static_cast<int32_t>(found - variables.begin());
  if (found == variables.end()) variables.emplace_back(name);
  return place;
}

const Value& PlanBuilder::ConstantOf(StepId id) const {
  return plan_.constants[static_cast<size_t>(plan_[id].table)];
}

void PlanBuilder::MakePart(StepId id) {
  // Of a chain, what it begins with is counted, or its first member.
  Step* step = &plan_.steps[static_cast<size_t>(id)];
  while (IsChain(step->kind) && step->cost == 0) step = &plan_.steps[static_cast<size_t>(step->a)];
  if (step->is_attribute && step->cost > 0) --step->cost;
}

bool PlanBuilder::ExtendPath(StepId id, std::string_view field) {
  Step& step = plan_.steps[static_cast<size_t>(id)];
  const bool is_newest = static_cast<size_t>(id) + 1 == plan_.steps.size();
  if (step.kind != StepKind::kPath || !is_newest) return false;
  // Its texts follow each other, since nothing was planned in between.
  if (static_cast<size_t>(step.b) + static_cast<size_t>(step.c) != plan_.texts.size()) return false;
  AddText(field);
  ++step.c;
  return true;
}

}  // namespace bth::cel
