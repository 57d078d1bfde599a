#include "api/rules/tolerations.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "api/rules/labels.h"
#include "api/rules/names.h"

namespace bth::rules {
namespace {

using types::Json;

void CheckOperator(const Part& toleration, std::string_view op, bool comparing) {
  const std::string_view value = toleration.Text("value");
  if (op.empty() || op == "Equal") {
    const std::vector<std::string> faults = CheckLabelValue(value);
    if (!faults.empty()) toleration.Invalid("operator", Json(value), absl::StrJoin(faults, ";"));
  } else if (op == "Exists") {
    if (!value.empty()) {
      toleration.Invalid("operator", Json(value),
                         "value must be empty when `operator` is 'Exists'");
    }
  } else if (comparing) {
    toleration.OneOf("operator", op, {"Equal", "Exists", "Gt", "Lt"});
  } else {
    toleration.OneOf("operator", op, {"Equal", "Exists"});
  }
}

}  // namespace

void CheckTolerations(const Part& spec, bool comparing) {
  spec.ForEach("tolerations", [comparing](const Part& toleration, size_t) {
    const std::string_view op = toleration.Text("operator");
    const std::string_view effect = toleration.Text("effect");
    if (!toleration.Text("key").empty()) {
      CheckLabelName(toleration, "key");
    } else if (op != "Exists") {
      toleration.Invalid("operator", Json(op),
                         "operator must be Exists when `key` is empty, which means \"match all "
                         "values and all keys\"");
    }
    if (toleration.Number("tolerationSeconds") && effect != "NoExecute") {
      toleration.Invalid("effect", Json(effect),
                         "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    CheckOperator(toleration, op, comparing);
    if (!effect.empty()) {
      toleration.OneOf("effect", effect, {"NoExecute", "NoSchedule", "PreferNoSchedule"});
    }
  });
}

}  // namespace bth::rules
