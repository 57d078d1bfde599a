#include "apiserver/matching/conditions.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/kubernetes/environment.h"

namespace bth::apiserver {

absl::StatusOr<MatchConditions> MatchConditions::Compile(
    const Json& conditions, const std::shared_ptr<const cel::Environment>& environment) {
  MatchConditions compiled;
  const cel::TypePtr result[] = {cel::Type::Bool()};
  for (const Json& condition : conditions.items()) {
    absl::StatusOr<Expression> expression =
        CompileExpression(condition["expression"].AsString(), environment, result);
    if (!expression.ok()) {
      return Annotate(expression.status(),
                      StrCat("match condition '", condition["name"].AsString(), "'"));
    }
    compiled.expressions_.push_back(*std::move(expression));
  }
  return compiled;
}

MatchConditions MatchConditions::Broken(absl::Status why) {
  MatchConditions conditions;
  conditions.broken_ = std::move(why);
  return conditions;
}

absl::StatusOr<bool> MatchConditions::Hold(const cel::Activation& names) const {
  if (!broken_.ok()) return broken_;
  Budget budget(cel::kMatchConditionsBudget);
  std::vector<std::string> errors;
  for (const Expression& expression : expressions_) {
    const absl::StatusOr<cel::Value> value = Evaluate(expression, names, budget);
    if (!value.ok()) {
      errors.emplace_back(ToStd(value.status().message()));
      if (budget.spent()) break;
    } else if (!value->is(cel::ValueKind::kBool) || !value->AsBool()) {
      return false;
    }
  }
  if (errors.empty()) return true;
  return absl::InternalError(errors.size() == 1 ? errors.front()
                                                : StrCat("[", absl::StrJoin(errors, ", "), "]"));
}

}  // namespace bth::apiserver
