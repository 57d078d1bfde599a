#include "apiserver/schema/default_rules.h"

#include <utility>

#include "apiserver/schema/coerce.h"
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
}

}  // namespace bth::apiserver
