#include "cel/program.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/eval/estimator.h"
#include "cel/eval/interpreter.h"
#include "cel/eval/plan.h"
#include "cel/syntax/parser.h"
#include "cel/types/inference.h"
#include "cel/types/literal_rules.h"

namespace bth::cel {
namespace {

// An expression that is run as it was written: no node has a type.
absl::StatusOr<CheckedAst> Unchecked(Ast ast) {
  CheckedAst checked;
  checked.ast = std::move(ast);
  return checked;
}

// dyn may turn out to be anything; it is looked at when it has run.
bool MayBe(const Type& found, const Type& wanted) {
  if (IsDyn(wanted) || IsDyn(found) || found.kind() == TypeKind::kParam) return true;
  if (found.kind() != wanted.kind() || found.name() != wanted.name()) return false;
  for (size_t i = 0; i < std::min(found.parameters().size(), wanted.parameters().size()); ++i) {
    if (!MayBe(*found.parameters()[i], *wanted.parameters()[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<Value> Bindings::Find(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

absl::StatusOr<Program> Compile(std::string_view source,
                                std::shared_ptr<const Environment> environment,
                                const CompileOptions& options) {
  BTH_ASSIGN_OR_RETURN(Ast ast, Parse(source, environment->parse_options));
  BTH_ASSIGN_OR_RETURN(CheckedAst checked, options.check ? Check(std::move(ast), *environment)
                                                         : Unchecked(std::move(ast)));
  BTH_RETURN_IF_ERROR(CheckPatterns(checked.ast));
  Program program;
  program.environment_ = std::move(environment);
  program.result_type_ = options.check ? checked.result() : Type::Dyn();
  program.checked_ = std::make_shared<const CheckedAst>(std::move(checked));
  if (options.result != nullptr && !MayBe(*program.result_type_, *options.result)) {
    return absl::InvalidArgumentError(StrCat("must evaluate to ", options.result->ToString()));
  }
  program.wanted_ = options.result;
  BTH_ASSIGN_OR_RETURN(program.plan_, MakePlan(*program.checked_, *program.environment_));
  program.variables_ = program.plan_->variables;
  std::sort(program.variables_.begin(), program.variables_.end());
  return program;
}

Outcome Program::Run(const Activation& activation, const RunOptions& options) const {
  Outcome outcome = Interpreter(*plan_, activation, options.cost_max).Run();
  if (wanted_ == nullptr || outcome.value.is_error()) return outcome;
  const TypePtr found = outcome.value.type();
  if (!MayBe(*found, *wanted_)) {
    outcome.value = Value::Error(
        StrCat("expected a result of type ", wanted_->ToString(), ", got ", found->ToString()));
  }
  return outcome;
}

CostRange Program::Estimate() const {
  return checked_->types.empty() ? CostRange{0, UINT64_MAX} : EstimateOf(*checked_);
}

}  // namespace bth::cel
