// The programs of x-kubernetes-validations, made once per schema.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/schema/declared_types.h"
#include "apiserver/schema/structural.h"
#include "cel/program.h"

namespace bth::apiserver {

struct RuleProgram {
  SchemaRule text;
  std::optional<cel::Program> rule;  // Nothing: `error` says why, or the rule is empty.
  std::string error;
  std::optional<cel::Program> message;  // Of messageExpression, if there is one.
  std::string message_error;
  // What one evaluation may cost.
  uint64_t cost_max = 0;
  uint64_t message_cost_max = 0;
  bool uses_old = false;
};

struct RuleNode;
using RuleNodePtr = std::shared_ptr<const RuleNode>;

// The rules of a node of the schema and of what is below it; nodes without any are left out.
struct RuleNode {
  DeclaredTypePtr type;
  std::vector<RuleProgram> rules;
  std::map<std::string, RuleNodePtr, std::less<>> properties;
  RuleNodePtr items;
  RuleNodePtr additional;
};

// Null: there are no rules. `whole`: as in DeclareType. Rules that cannot be compiled are kept with
// their error, so that objects of definitions that were accepted with them are refused. Cost:
// milliseconds per rule.
RuleNodePtr CompileRules(const SchemaNode& root, bool whole);

// Those of one node.
std::vector<RuleProgram> CompileRulesOf(const SchemaNode& node, const DeclaredType& type);

// The type of a property within `parent`. Null: expressions cannot tell it.
DeclaredTypePtr PropertyType(const DeclaredType& parent, const SchemaProperty& property);

}  // namespace bth::apiserver
