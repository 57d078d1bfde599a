// Expressions of matchConditions and policies: what they may name, how they are compiled and run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/matching/target.h"
#include "cel/environment.h"
#include "cel/program.h"

namespace bth::apiserver {

// Beside object, oldObject, request and authorizer.
struct Names {
  bool params = false;
  bool namespace_object = false;
  cel::TypePtr variables;           // Of policies; null: there are none.
  std::vector<cel::TypePtr> built;  // Object types that an expression may build.
};
std::shared_ptr<const cel::Environment> ExpressionEnvironment(const Names& names);

// What is left for all expressions of one webhook, or of one policy and object.
class Budget {
 public:
  explicit Budget(uint64_t left) : left_(left) {}
  bool spent() const { return spent_; }
  uint64_t left() const { return left_; }
  void Take(uint64_t cost) {
    spent_ = spent_ || cost > left_;
    left_ -= cost > left_ ? left_ : cost;
  }

 private:
  uint64_t left_;
  bool spent_ = false;
};

// A compiled expression. Immutable; any thread.
struct Expression {
  std::string source;
  cel::Program program;
};

// Which results are allowed, exactly; empty: any. Errors: kInvalidArgument in the words of the API
// server.
absl::StatusOr<Expression> CompileExpression(std::string_view source,
                                             const std::shared_ptr<const cel::Environment>& env,
                                             std::span<const cel::TypePtr> results);

// Runs it. Errors: the run failed, in the words of the API server.
absl::StatusOr<cel::Value> Evaluate(const Expression& expression, const cel::Activation& names,
                                    Budget& budget);

// The documents behind the variables of one write as one version of its resource. They are made
// when they are first named. Lifetime: longer than all values that come out of it.
class WriteDocuments {
 public:
  // Of before or after mutation; `core` and the write outlive this.
  WriteDocuments(const Core& core, const Target& target, ResourceTypePtr as, bool mutated)
      : core_(core), target_(target), as_(std::move(as)), mutated_(mutated) {}
  WriteDocuments(const WriteDocuments&) = delete;
  WriteDocuments& operator=(const WriteDocuments&) = delete;

  struct Read {
    Shown shown;
    Json request;
    Json namespace_object;
  };
  const Read& read() const;
  const Core& core() const { return core_; }
  const Target& target() const { return target_; }
  const ResourceTypePtr& as() const { return as_; }

 private:
  const Core& core_;
  const Target target_;
  const ResourceTypePtr as_;
  const bool mutated_;
  mutable std::unique_ptr<Read> read_;
};

// Lifetime: shorter than the documents'.
class WriteVariables final : public cel::Activation {
 public:
  explicit WriteVariables(const WriteDocuments& documents) : documents_(documents) {}

  // The object of which a policy takes its numbers; null: there is none.
  void SetParams(const Json* params) { params_ = params; }
  // The value of `variables`.
  void SetVariables(std::shared_ptr<const cel::ObjectView> variables) {
    variables_ = std::move(variables);
  }
  std::optional<cel::Value> Find(std::string_view name) const override;

 private:
  const WriteDocuments& documents_;
  const Json* params_ = nullptr;
  std::shared_ptr<const cel::ObjectView> variables_;
};

}  // namespace bth::apiserver
