// Evaluates x-kubernetes-validations over an object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/errors.h"
#include "apiserver/schema/rule_programs.h"
#include "apiserver/schema/structural.h"

namespace bth::apiserver {

struct RuleVerdict {
  std::vector<Cause> causes;
  // Rules that are broken where nothing has changed: told, but no reason to refuse.
  std::vector<std::string> warnings;
};

struct RuledValue {
  const RuleNode& rules;
  const SchemaNode& node;
  const Json& value;
  const Json* old = nullptr;  // Null: the value is new.
  std::string_view field{};   // Where the value stands; empty at the top.
  // Broken rules about what is as it was are warnings.
  bool lets_stay = true;
};

// Rules about oldSelf are looked at where the value has a counterpart in `old`: not in lists
// without keys. Cost: bounded by Kubernetes' budget for one object; a rule that goes beyond it is
// an error.
RuleVerdict RunRules(const RuledValue& ruled);
// Of a whole object.
RuleVerdict RunRules(const StructuralSchema& schema, const Json& object, const Json* old);

}  // namespace bth::apiserver
