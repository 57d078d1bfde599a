// Admission policies and their bindings, compiled.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/selector.h"
#include "apiserver/matching/conditions.h"
#include "apiserver/matching/match_terms.h"

namespace bth::apiserver {

// The fields of `variables`: each may name those before it. Grows while a policy is compiled and
// is only read from then on.
class VariableTypes final : public cel::ObjectFields {
 public:
  void Add(std::string name, cel::TypePtr type) { types_[std::move(name)] = std::move(type); }
  cel::TypePtr FieldType(std::string_view field) const override;
  std::vector<std::string> FieldNames() const override;

 private:
  std::map<std::string, cel::TypePtr, std::less<>> types_;
};

// The environment of one policy. `variables()` is filled by whoever compiles them, in order.
class PolicyScope {
 public:
  explicit PolicyScope(const Json& spec);

  const std::shared_ptr<const cel::Environment>& environment() const { return environment_; }
  // Of matchConditions, which come before the variables.
  const std::shared_ptr<const cel::Environment>& conditions() const { return conditions_; }
  const cel::TypePtr& variables_type() const { return variables_type_; }
  // Compiles the next variable and makes it known to what follows.
  absl::StatusOr<Expression> AddVariable(std::string_view name, std::string_view source);

 private:
  std::shared_ptr<VariableTypes> variables_ = std::make_shared<VariableTypes>();
  cel::TypePtr variables_type_;
  std::shared_ptr<const cel::Environment> environment_;
  std::shared_ptr<const cel::Environment> conditions_;
};

// The types of results that the parts of a policy must have.
const std::vector<cel::TypePtr>& ResultOfValidation();
const std::vector<cel::TypePtr>& ResultOfMessage();
const std::vector<cel::TypePtr>& ResultOfAnnotation();
const std::vector<cel::TypePtr>& ResultOfPatch();
const std::vector<cel::TypePtr>& ResultOfConfiguration();

struct PolicyVariable {
  std::string name;
  Expression expression;
};
struct Validation {
  Expression expression;
  std::string message;
  std::optional<Expression> message_expression;
  std::string reason;  // Empty: Invalid.
};
struct PolicyAnnotation {
  std::string key;
  Expression value;
};
struct Mutation {
  bool is_patch = false;  // A JSON patch; else an apply configuration.
  Expression expression;
};
struct ParamKind {
  std::string api_version;
  std::string kind;
};

// Immutable once compiled.
struct Policy {
  std::string name;
  bool mutating = false;
  int64_t generation = 0;
  std::string uid;
  std::optional<ParamKind> param_kind;
  MatchTerms terms;
  MatchConditions conditions;
  cel::TypePtr variables_type;
  std::vector<PolicyVariable> variables;
  std::vector<Validation> validations;
  std::vector<PolicyAnnotation> annotations;
  std::vector<Mutation> mutations;
  bool ignores_failure = false;
  bool invoked_again = false;
  absl::Status broken;  // A stored expression that does not compile any more.
};
using PolicyPtr = std::shared_ptr<const Policy>;
PolicyPtr CompilePolicy(const Json& object, bool mutating);

struct ParamRef {
  std::string name;
  std::string ns;
  std::optional<types::LabelSelector> selector;
  bool denies_when_absent = false;
};
struct PolicyBinding {
  std::string name;
  std::string policy;
  std::optional<ParamRef> params;
  std::optional<MatchTerms> terms;  // Absent: all that the policy matches.
  bool denies = false;
  bool warns = false;
  bool audits = false;
};
using BindingPtr = std::shared_ptr<const PolicyBinding>;
BindingPtr ReadBinding(const Json& object);

}  // namespace bth::apiserver
