#include "apiserver/schema/rule_programs.h"

#include <algorithm>
#include <utility>

#include "apiserver/schema/property_names.h"
#include "base/strings.h"
#include "cel/environment.h"
#include "cel/kubernetes/environment.h"

namespace bth::apiserver {
namespace {

using cel::Environment;
using cel::Program;
using EnvironmentPtr = std::shared_ptr<const Environment>;

constexpr char kOldSelf[] = "oldSelf";

bool IsBlankText(std::string_view text) {
  return StripAsciiWhitespace(text).empty();
}

EnvironmentPtr EnvironmentOf(const DeclaredType& type, bool optional_old) {
  std::shared_ptr<Environment> environment = cel::KubernetesEnvironment()->Extend();
  environment->Add(cel::Variable{"self", type.type});
  environment->Add(
      cel::Variable{kOldSelf, optional_old ? cel::Type::Optional(type.type) : type.type});
  return environment;
}

bool Reads(const Program& program, std::string_view variable) {
  const std::vector<std::string>& names = program.variables();
  return std::find(names.begin(), names.end(), variable) != names.end();
}

void CompileRule(const EnvironmentPtr& environment, RuleProgram& made) {
  absl::StatusOr<Program> program = cel::Compile(made.text.rule, environment);
  if (!program.ok()) {
    made.error = StrCat("compilation failed: ", program.status().message());
  } else if (program->result_type()->kind() != cel::TypeKind::kBool) {
    made.error = "cel expression must evaluate to a bool";
  } else {
    made.cost_max = program->Estimate().max;
    made.uses_old = Reads(*program, kOldSelf);
    made.rule = *std::move(program);
  }
}

void CompileMessage(const EnvironmentPtr& environment, RuleProgram& made) {
  absl::StatusOr<Program> program = cel::Compile(made.text.message_expression, environment);
  if (!program.ok()) {
    made.message_error =
        StrCat("messageExpression compilation failed: ", program.status().message());
  } else if (program->result_type()->kind() != cel::TypeKind::kString) {
    made.message_error = "messageExpression must evaluate to a string";
  } else {
    made.message_cost_max = program->Estimate().max;
    made.message = *std::move(program);
  }
}

std::shared_ptr<RuleNode> CompileTree(const SchemaNode& node, DeclaredTypePtr type) {
  auto made = std::make_shared<RuleNode>();
  made->rules = CompileRulesOf(node, *type);
  for (const SchemaProperty& property : node.properties) {
    DeclaredTypePtr below = PropertyType(*type, property);
    if (below == nullptr) continue;
    std::shared_ptr<RuleNode> child = CompileTree(*property.node, std::move(below));
    if (child != nullptr) made->properties[property.name] = std::move(child);
  }
  if (node.items != nullptr && type->element != nullptr) {
    made->items = CompileTree(*node.items, type->element);
  }
  if (node.additional != nullptr && type->element != nullptr) {
    made->additional = CompileTree(*node.additional, type->element);
  }
  const bool empty = made->rules.empty() && made->properties.empty() && made->items == nullptr &&
                     made->additional == nullptr;
  if (empty) return nullptr;
  made->type = std::move(type);
  return made;
}

bool HasRules(const SchemaNode& node) {
  return !node.rules.empty() ||
         std::any_of(node.properties.begin(), node.properties.end(),
                     [](const SchemaProperty& property) { return HasRules(*property.node); }) ||
         (node.items != nullptr && HasRules(*node.items)) ||
         (node.additional != nullptr && HasRules(*node.additional));
}

}  // namespace

std::vector<RuleProgram> CompileRulesOf(const SchemaNode& node, const DeclaredType& type) {
  std::vector<RuleProgram> programs;
  if (node.rules.empty()) return programs;
  const EnvironmentPtr plain = EnvironmentOf(type, false);
  for (const SchemaRule& rule : node.rules) {
    RuleProgram& made = programs.emplace_back();
    made.text = rule;
    if (IsBlankText(rule.rule)) continue;
    const EnvironmentPtr environment =
        rule.optional_old_self.value_or(false) ? EnvironmentOf(type, true) : plain;
    CompileRule(environment, made);
    if (!rule.message_expression.empty()) CompileMessage(environment, made);
  }
  return programs;
}

DeclaredTypePtr PropertyType(const DeclaredType& parent, const SchemaProperty& property) {
  const std::optional<std::string> name = EscapeProperty(property.name);
  // A property that no expression can name may have rules of its own.
  if (!name.has_value()) return DeclareType(*property.node, property.node->embedded);
  const auto field = parent.fields.find(*name);
  return field == parent.fields.end() ? nullptr : field->second.type;
}

RuleNodePtr CompileRules(const SchemaNode& root, bool whole) {
  if (!HasRules(root)) return nullptr;
  DeclaredTypePtr type = DeclareType(root, whole);
  return type == nullptr ? nullptr : CompileTree(root, std::move(type));
}

}  // namespace bth::apiserver
