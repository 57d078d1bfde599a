// An expression ready to be run: parsed, checked, bounded.
//
//   auto program = cel::Compile("object.spec.replicas <= 5", environment, {.result =
//   Type::Bool()}); cel::Outcome outcome = program->Run(activation, {.cost_max = 1'000'000});
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cel/environment.h"
#include "cel/types/checker.h"
#include "cel/values/value.h"

namespace bth::cel {

struct CompileOptions {
  TypePtr result;  // Null: any. dyn results are accepted and looked at when run.
  // False: names and calls are resolved by values when it runs.
  bool check = true;
};

// Values of variables while a program runs. Called on the thread that runs it.
class Activation {
 public:
  virtual ~Activation() = default;
  // Nothing: the variable is not there, which is an error where it is used. An implementation that
  // computes a value (variables of policies) does so once.
  virtual std::optional<Value> Find(std::string_view name) const = 0;
};

// A plain table.
class Bindings final : public Activation {
 public:
  void Set(std::string name, Value value) { values_[std::move(name)] = std::move(value); }
  std::optional<Value> Find(std::string_view name) const override;

 private:
  std::unordered_map<std::string, Value> values_;
};

struct RunOptions {
  // Kubernetes' units of actual cost; beyond it the run ends with an error and `cost_exceeded`.
  // So it does, whatever the limit, where it looks at more than `Work` allows.
  uint64_t cost_max = UINT64_MAX;
};

struct Outcome {
  Value value;  // May be an error.
  uint64_t cost = 0;
  bool cost_exceeded = false;
};

struct Plan;

// Immutable; any thread.
class Program {
 public:
  Outcome Run(const Activation& activation, const RunOptions& options = {}) const;
  // What a run may cost at least and at most, from the sizes that types declare.
  CostRange Estimate() const;
  const CheckedAst& checked() const { return *checked_; }
  const TypePtr& result_type() const { return result_type_; }
  // Names of the environment's variables that it reads, sorted.
  const std::vector<std::string>& variables() const { return variables_; }

 private:
  friend absl::StatusOr<Program> Compile(std::string_view, std::shared_ptr<const Environment>,
                                         const CompileOptions&);
  std::shared_ptr<const Environment> environment_;
  std::shared_ptr<const CheckedAst> checked_;
  TypePtr result_type_;
  TypePtr wanted_;
  std::vector<std::string> variables_;
  std::shared_ptr<const Plan> plan_;
};

// Errors: kInvalidArgument of the parser and checker, or that the result is of another type.
absl::StatusOr<Program> Compile(std::string_view source,
                                std::shared_ptr<const Environment> environment,
                                const CompileOptions& options = {});

}  // namespace bth::cel
