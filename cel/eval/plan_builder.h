// A plan while it is made.
#pragma once

#include <cstdint>
#include <string_view>

#include "cel/eval/plan.h"
#include "cel/values/value.h"

namespace bth::cel {

class PlanBuilder final {
 public:
  StepId Add(Step step);
  StepId AddConstant(Value value);
  // Places in plan().texts and plan().variables.
  int32_t AddText(std::string_view text);
  int32_t VariablePlace(std::string_view name);
  int32_t NewSlot() { return plan_.slots++; }

  bool IsConstant(StepId id) const { return plan_[id].kind == StepKind::kConstant; }
  const Value& ConstantOf(StepId id) const;
  // What selecting from it costs besides the selection: values that are no attribute become one.
  uint8_t CostAsBase(StepId id) const { return plan_[id].is_attribute ? 0 : 1; }
  // Names and selections are not counted by themselves where they are part of another attribute.
  void MakePart(StepId id);
  // Selects one more field in the step itself. False: it is no path, or not the newest step.
  bool ExtendPath(StepId id, std::string_view field);

  Plan& plan() { return plan_; }

 private:
  Plan plan_;
};

}  // namespace bth::cel
