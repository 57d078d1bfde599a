#include "apiserver/policies/lazy_variables.h"

#include <algorithm>

#include "base/strings.h"

namespace bth::apiserver {

LazyVariables::LazyVariables(const Policy& policy, const cel::Activation& names, Budget& budget)
    : policy_(policy), names_(names), budget_(budget), values_(policy.variables.size()) {}

std::optional<cel::Value> LazyVariables::Field(std::string_view name) const {
  for (size_t i = 0; i < policy_.variables.size(); ++i) {
    if (policy_.variables[i].name != name) continue;
    if (!values_[i].has_value()) values_[i] = Compute(policy_.variables[i]);
    return values_[i];
  }
  return std::nullopt;
}

cel::Value LazyVariables::Compute(const PolicyVariable& variable) const {
  if (depth_ >= kDepthMax) {
    return cel::Value::Error(StrCat("composited variable \"", variable.name,
                                    "\" fails to evaluate: more than ", kDepthMax,
                                    " variables need each other"));
  }
  ++depth_;
  const absl::StatusOr<cel::Value> value = Evaluate(variable.expression, names_, budget_);
  --depth_;
  if (value.ok()) return *value;
  return cel::Value::Error(StrCat("composited variable \"", variable.name,
                                  "\" fails to evaluate: ", ToStd(value.status().message())));
}

std::vector<std::string> LazyVariables::SetFields() const {
  std::vector<std::string> names;
  for (const PolicyVariable& variable : policy_.variables) names.push_back(variable.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace bth::apiserver
