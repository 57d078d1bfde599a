#include "apiserver/schema/default_rules.h"

#include <utility>

#include "apiserver/schema/coerce.h"
#include "apiserver/schema/rule_run.h"
#include "apiserver/schema/validate.h"
#include "base/strings.h"

namespace bth::apiserver {

void CheckDefault(const Json& schema, const std::string& field, std::vector<Cause>& causes) {
  absl::StatusOr<SchemaNodePtr> node = CompileNode(schema);
  if (!node.ok()) {
    causes.push_back(FieldInvalid(field, schema["default"], ToStd(node.status().message())));
    return;
  }
  Json value = schema["default"];
  std::vector<std::string> unknown;
  PruneValue(**node, value, &unknown);
  if (!unknown.empty()) {
    causes.push_back(FieldInvalid(field, schema["default"], "must not have unknown fields"));
    return;
  }
  DefaultFields(**node, value);
  const Checked checked{**node, value, nullptr, field};
  for (const std::vector<Cause>& found : {CheckValue(checked), CheckUniqueItems(checked)}) {
    causes.insert(causes.end(), found.begin(), found.end());
  }
  if (const RuleNodePtr rules = CompileRules(**node, (*node)->embedded); rules != nullptr) {
    // A default is its own counterpart, since it fills in what was there without it.
    const RuleVerdict verdict = RunRules({.rules = *rules,
                                          .node = **node,
                                          .value = value,
                                          .old = &value,
                                          .field = field,
                                          .lets_stay = false});
    causes.insert(causes.end(), verdict.causes.begin(), verdict.causes.end());
  }
}

}  // namespace bth::apiserver
