#include "apiserver/matching/expressions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_join.h"
#include "apiserver/matching/authorizer.h"
#include "apiserver/rest/core.h"
#include "base/strings.h"
#include "cel/kubernetes/environment.h"
#include "cel/values/json_values.h"

namespace bth::apiserver {
namespace {

using cel::Type;
using cel::TypePtr;

class DeclaredFields final : public cel::ObjectFields {
 public:
  explicit DeclaredFields(std::map<std::string, TypePtr, std::less<>> fields)
      : fields_(std::move(fields)) {}
  TypePtr FieldType(std::string_view field) const override {
    const auto found = fields_.find(field);
    return found == fields_.end() ? nullptr : found->second;
  }
  std::vector<std::string> FieldNames() const override {
    std::vector<std::string> names;
    for (const auto& [name, type] : fields_) names.push_back(name);
    return names;
  }

 private:
  const std::map<std::string, TypePtr, std::less<>> fields_;
};

TypePtr ObjectOf(std::string name, std::map<std::string, TypePtr, std::less<>> fields) {
  return Type::Object(std::move(name), std::make_shared<DeclaredFields>(std::move(fields)));
}

TypePtr RequestType() {
  const TypePtr text = Type::String();
  const TypePtr kind =
      ObjectOf("kubernetes.GroupVersionKind", {{"group", text}, {"version", text}, {"kind", text}});
  const TypePtr resource = ObjectOf("kubernetes.GroupVersionResource",
                                    {{"group", text}, {"version", text}, {"resource", text}});
  const TypePtr texts = Type::List(text);
  const TypePtr user = ObjectOf(
      "kubernetes.UserInfo",
      {{"username", text}, {"uid", text}, {"groups", texts}, {"extra", Type::Map(text, texts)}});
  return ObjectOf("kubernetes.AdmissionRequest", {{"kind", kind},
                                                  {"resource", resource},
                                                  {"subResource", text},
                                                  {"requestKind", kind},
                                                  {"requestResource", resource},
                                                  {"requestSubResource", text},
                                                  {"name", text},
                                                  {"namespace", text},
                                                  {"operation", text},
                                                  {"userInfo", user},
                                                  {"dryRun", Type::Bool()},
                                                  {"options", Type::Dyn()}});
}

TypePtr NamespaceType() {
  const TypePtr text = Type::String();
  const TypePtr time = Type::Timestamp();
  const TypePtr notes = Type::Map(text, text);
  const TypePtr metadata =
      ObjectOf("kubernetes.NamespaceMetadata", {{"name", text},
                                                {"generateName", text},
                                                {"namespace", text},
                                                {"labels", notes},
                                                {"annotations", notes},
                                                {"uid", text},
                                                {"creationTimestamp", time},
                                                {"deletionGracePeriodSeconds", Type::Int()},
                                                {"deletionTimestamp", time},
                                                {"generation", Type::Int()},
                                                {"resourceVersion", text},
                                                {"finalizers", Type::List(text)}});
  const TypePtr condition = ObjectOf("kubernetes.NamespaceCondition", {{"status", text},
                                                                       {"type", text},
                                                                       {"lastTransitionTime", time},
                                                                       {"message", text},
                                                                       {"reason", text}});
  const TypePtr spec = ObjectOf("kubernetes.NamespaceSpec", {{"finalizers", Type::List(text)}});
  const TypePtr status = ObjectOf("kubernetes.NamespaceStatus",
                                  {{"conditions", Type::List(condition)}, {"phase", text}});
  return ObjectOf("kubernetes.Namespace",
                  {{"metadata", metadata}, {"spec", spec}, {"status", status}});
}

struct SharedTypes {
  TypePtr request = RequestType();
  TypePtr namespace_object = NamespaceType();
};

const SharedTypes& Shared() {
  static const SharedTypes& shared = *new SharedTypes();
  return shared;
}

// As messages about results name a type.
std::string ResultText(const Type& type) {
  return type.kind() == cel::TypeKind::kNull ? "null_type" : type.ToString();
}

constexpr char kNoBudget[] =
    "validation failed due to running out of cost budget, no further validation rules will be run";

}  // namespace

std::shared_ptr<const cel::Environment> ExpressionEnvironment(const Names& names) {
  std::shared_ptr<cel::Environment> env = cel::KubernetesEnvironment()->Extend();
  env->Add(cel::Variable{"object", Type::Dyn()});
  env->Add(cel::Variable{"oldObject", Type::Dyn()});
  env->Add(cel::Variable{"request", Shared().request});
  if (names.namespace_object) {
    env->Add(cel::Variable{"namespaceObject", Shared().namespace_object});
  }
  if (names.params) env->Add(cel::Variable{"params", Type::Dyn()});
  if (names.variables != nullptr) env->Add(cel::Variable{"variables", names.variables});
  for (const TypePtr& type : names.built) env->AddObjectType(type);
  AddAuthorizer(*env);
  return env;
}

absl::StatusOr<Expression> CompileExpression(std::string_view source,
                                             const std::shared_ptr<const cel::Environment>& env,
                                             std::span<const cel::TypePtr> results) {
  absl::StatusOr<cel::Program> program = cel::Compile(source, env);
  if (!program.ok()) {
    return absl::InvalidArgumentError(
        StrCat("compilation failed: ", ToStd(program.status().message())));
  }
  const Type& result = *program->result_type();
  const bool fits =
      results.empty() || std::any_of(results.begin(), results.end(),
                                     [&](const TypePtr& allowed) { return *allowed == result; });
  if (!fits) {
    std::vector<std::string> allowed;
    for (const TypePtr& type : results) allowed.push_back(ResultText(*type));
    const std::string wanted = results.size() == 1
                                   ? allowed.front()
                                   : StrCat("one of [", absl::StrJoin(allowed, " "), "]");
    return absl::InvalidArgumentError(
        StrCat("must evaluate to ", wanted, " but got ", ResultText(result)));
  }
  return Expression{std::string(source), *std::move(program)};
}

absl::StatusOr<cel::Value> Evaluate(const Expression& expression, const cel::Activation& names,
                                    Budget& budget) {
  if (budget.spent()) return absl::ResourceExhaustedError(kNoBudget);
  const cel::Outcome outcome = expression.program.Run(names, {.cost_max = cel::kPerCallLimit});
  budget.Take(outcome.cost);
  if (outcome.value.is_error()) {
    return absl::InternalError(StrCat("expression '", expression.source,
                                      "' resulted in error: ", outcome.value.AsString()));
  }
  if (budget.spent()) return absl::ResourceExhaustedError(kNoBudget);
  return outcome.value;
}

const WriteDocuments::Read& WriteDocuments::read() const {
  if (read_ != nullptr) return *read_;
  read_ = std::make_unique<Read>();
  read_->shown = Show(target_.write, *as_, mutated_);
  read_->request = RequestJson(target_, *as_);
  if (!target_.ns.empty() && !target_.write.Is("", "namespaces")) {
    const ObjectPtr ns = core_.store->Find("namespaces")->Get({"", std::string(target_.ns)});
    if (ns != nullptr) read_->namespace_object = ParseStored(*ns);
  }
  return *read_;
}

std::optional<cel::Value> WriteVariables::Find(std::string_view name) const {
  const Target& target = documents_.target();
  if (name == "variables" && variables_ != nullptr) return cel::Value::Of(variables_);
  if (name == "params") {
    return params_ == nullptr ? cel::Value::Null() : cel::FromJson(*params_, Type::Dyn());
  }
  if (name == "authorizer") return AuthorizerOf(documents_.core(), target.write.user);
  if (name == "authorizer.requestResource") {
    return RequestResourceOf(documents_.core(), target, *documents_.as());
  }
  const WriteDocuments::Read& read = documents_.read();
  if (name == "object") return cel::FromJson(read.shown.object, Type::Dyn());
  if (name == "oldObject") return cel::FromJson(read.shown.old_object, Type::Dyn());
  if (name == "request") return cel::FromJson(read.request, Shared().request);
  if (name == "namespaceObject") {
    return read.namespace_object.is_null()
               ? cel::Value::Null()
               : cel::FromJson(read.namespace_object, Shared().namespace_object);
  }
  return std::nullopt;
}

}  // namespace bth::apiserver
