#include "apiserver/policies/policy.h"

#include <utility>

#include "apiserver/policies/built_types.h"
#include "apiserver/store/selector.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using cel::Type;
using cel::TypePtr;

std::vector<std::string_view> BuildingSources(const Json& spec) {
  std::vector<std::string_view> sources;
  for (const Json& variable : spec["variables"].items()) {
    sources.push_back(variable["expression"].AsString());
  }
  for (const Json& mutation : spec["mutations"].items()) {
    sources.push_back(mutation["jsonPatch"]["expression"].AsString());
    sources.push_back(mutation["applyConfiguration"]["expression"].AsString());
  }
  return sources;
}

absl::Status CompileValidations(const Json& list, const PolicyScope& scope, Policy& policy) {
  for (const Json& json : list.items()) {
    Validation validation;
    BTH_ASSIGN_OR_RETURN(validation.expression,
                         CompileExpression(json["expression"].AsString(), scope.environment(),
                                           ResultOfValidation()));
    validation.message = json["message"].AsString();
    validation.reason = json["reason"].AsString();
    if (const std::string_view source = json["messageExpression"].AsString(); !source.empty()) {
      BTH_ASSIGN_OR_RETURN(validation.message_expression,
                           CompileExpression(source, scope.environment(), ResultOfMessage()));
    }
    policy.validations.push_back(std::move(validation));
  }
  return absl::OkStatus();
}

absl::Status CompileMutations(const Json& list, const PolicyScope& scope, Policy& policy) {
  for (const Json& json : list.items()) {
    Mutation mutation;
    mutation.is_patch = json["patchType"].AsString() == "JSONPatch";
    const char* part = mutation.is_patch ? "jsonPatch" : "applyConfiguration";
    BTH_ASSIGN_OR_RETURN(
        mutation.expression,
        CompileExpression(json[part]["expression"].AsString(), scope.environment(),
                          mutation.is_patch ? ResultOfPatch() : ResultOfConfiguration()));
    policy.mutations.push_back(std::move(mutation));
  }
  return absl::OkStatus();
}

absl::Status CompileParts(const Json& spec, Policy& policy) {
  PolicyScope scope(spec);
  policy.variables_type = scope.variables_type();
  BTH_ASSIGN_OR_RETURN(policy.conditions,
                       MatchConditions::Compile(spec["matchConditions"], scope.conditions()));
  for (const Json& json : spec["variables"].items()) {
    const std::string name(json["name"].AsString());
    BTH_ASSIGN_OR_RETURN(Expression expression,
                         scope.AddVariable(name, json["expression"].AsString()));
    policy.variables.push_back({name, std::move(expression)});
  }
  BTH_RETURN_IF_ERROR(CompileValidations(spec["validations"], scope, policy));
  for (const Json& json : spec["auditAnnotations"].items()) {
    BTH_ASSIGN_OR_RETURN(Expression value,
                         CompileExpression(json["valueExpression"].AsString(), scope.environment(),
                                           ResultOfAnnotation()));
    policy.annotations.push_back({std::string(json["key"].AsString()), std::move(value)});
  }
  return CompileMutations(spec["mutations"], scope, policy);
}

}  // namespace

TypePtr VariableTypes::FieldType(std::string_view field) const {
  const auto found = types_.find(field);
  return found == types_.end() ? nullptr : found->second;
}

std::vector<std::string> VariableTypes::FieldNames() const {
  std::vector<std::string> names;
  for (const auto& [name, type] : types_) names.push_back(name);
  return names;
}

PolicyScope::PolicyScope(const Json& spec)
    : variables_type_(Type::Object("kubernetes.variables", variables_)) {
  Names names;
  names.params = !spec["paramKind"].is_null();
  names.namespace_object = true;
  conditions_ = ExpressionEnvironment(names);
  if (!spec["variables"].empty()) names.variables = variables_type_;
  const bool mutates = !spec["mutations"].is_null();
  if (mutates) names.built = TypesNamedIn(BuildingSources(spec));
  environment_ = ExpressionEnvironment(names);
  if (!mutates) return;
  std::shared_ptr<cel::Environment> more = environment_->Extend();
  AddPatchFunctions(*more);
  environment_ = std::move(more);
}

absl::StatusOr<Expression> PolicyScope::AddVariable(std::string_view name,
                                                    std::string_view source) {
  absl::StatusOr<Expression> expression = CompileExpression(source, environment_, {});
  // What follows is judged as if it had come out well: one fault is told once.
  variables_->Add(std::string(name),
                  expression.ok() ? expression->program.result_type() : Type::Dyn());
  return expression;
}

const std::vector<TypePtr>& ResultOfValidation() {
  static const std::vector<TypePtr>& types = *new std::vector<TypePtr>{Type::Bool()};
  return types;
}

const std::vector<TypePtr>& ResultOfMessage() {
  static const std::vector<TypePtr>& types = *new std::vector<TypePtr>{Type::String()};
  return types;
}

const std::vector<TypePtr>& ResultOfAnnotation() {
  static const std::vector<TypePtr>& types =
      *new std::vector<TypePtr>{Type::String(), Type::Null()};
  return types;
}

const std::vector<TypePtr>& ResultOfPatch() {
  static const std::vector<TypePtr>& types =
      *new std::vector<TypePtr>{Type::List(PatchOperationType())};
  return types;
}

const std::vector<TypePtr>& ResultOfConfiguration() {
  static const std::vector<TypePtr>& types = *new std::vector<TypePtr>{ConfigurationType()};
  return types;
}

PolicyPtr CompilePolicy(const Json& object, bool mutating) {
  auto policy = std::make_shared<Policy>();
  const Json& spec = object["spec"];
  policy->name = object["metadata"]["name"].AsString();
  policy->uid = object["metadata"]["uid"].AsString();
  policy->generation = object["metadata"]["generation"].AsInt();
  policy->mutating = mutating;
  if (const Json& kind = spec["paramKind"]; kind.is_object()) {
    policy->param_kind =
        ParamKind{std::string(kind["apiVersion"].AsString()), std::string(kind["kind"].AsString())};
  }
  policy->terms = MatchTerms::Read(spec["matchConstraints"], "resourceRules");
  policy->ignores_failure = spec["failurePolicy"].AsString() == "Ignore";
  policy->invoked_again = spec["reinvocationPolicy"].AsString() == "IfNeeded";
  policy->broken = CompileParts(spec, *policy);
  if (!policy->broken.ok()) {
    Log(LogLevel::kError, "policy.unreadable",
        {{"policy", policy->name}, {"error", policy->broken}});
  }
  return policy;
}

BindingPtr ReadBinding(const Json& object) {
  auto binding = std::make_shared<PolicyBinding>();
  const Json& spec = object["spec"];
  binding->name = object["metadata"]["name"].AsString();
  binding->policy = spec["policyName"].AsString();
  if (const Json& json = spec["paramRef"]; json.is_object()) {
    ParamRef ref;
    ref.name = json["name"].AsString();
    ref.ns = json["namespace"].AsString();
    ref.denies_when_absent = json["parameterNotFoundAction"].AsString() != "Allow";
    if (json["selector"].is_object()) {
      absl::StatusOr<types::LabelSelector> selector = SelectorFromJson(json["selector"]);
      if (selector.ok()) ref.selector = *std::move(selector);
    }
    binding->params = std::move(ref);
  }
  if (const Json& json = spec["matchResources"]; json.is_object()) {
    binding->terms = MatchTerms::Read(json, "resourceRules", true);
  }
  for (const Json& action : spec["validationActions"].items()) {
    binding->denies |= action.AsString() == "Deny";
    binding->warns |= action.AsString() == "Warn";
    binding->audits |= action.AsString() == "Audit";
  }
  return binding;
}

}  // namespace bth::apiserver
