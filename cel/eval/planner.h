// Makes plans: used by MakePlan alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cel/environment.h"
#include "cel/eval/fold_shape.h"
#include "cel/eval/plan.h"
#include "cel/eval/plan_builder.h"
#include "cel/types/checker.h"

namespace bth::cel {

// What literals cost that are not constant.
inline constexpr uint8_t kNewListCost = 10;
inline constexpr uint8_t kNewMapCost = 30;
inline constexpr uint8_t kNewObjectCost = 40;

// Walks the tree by recursion; its depth has been looked at. One use.
class Planner final {
 public:
  Planner(const CheckedAst& checked, const Environment& environment)
      : checked_(checked), ast_(checked.ast), environment_(environment) {}
  Plan Make() &&;

 private:
  struct LocalName {
    std::string name;
    int32_t slot;
    StepId bound = kNoStep;  // What a bound name is computed by.
  };

  StepId Node(ExprId id);
  StepId Name(ExprId id);
  StepId NamedValue(const Reference& reference);
  StepId UncheckedName(const std::vector<std::string>& path);
  StepId Select(ExprId id);
  StepId Call(ExprId id);
  // Operators that are steps of their own. Nothing: an ordinary call.
  std::optional<StepId> Operator(const Expr& expr, const Reference& reference);
  std::optional<StepId> OptionalSelect(const Expr& expr);
  std::optional<StepId> LazyMember(const Expr& expr);
  StepId Conditional(const Expr& expr);
  StepId Index(const Expr& expr, StepKind kind);
  StepId In(const Expr& expr, const Reference& reference);
  StepId Dispatch(const Expr& expr, const Reference& reference);
  std::optional<StepId> FoldedConversion(const CallSite& call);
  std::optional<StepId> ConstantMatch(const CallSite& call);
  StepId ListLiteral(const Expr& expr);
  StepId MapLiteral(const Expr& expr);
  StepId StructLiteral(const Expr& expr, const Reference& reference);
  StepId Fold(const Comprehension& fold);
  bool CanWait(const Comprehension& fold) const;
  StepId Bind(const Comprehension& fold);
  void PlanInsert(const FoldShape& shape, FoldSite* site);

  const Reference& ReferenceOf(ExprId id) const;
  bool is_checked() const { return !checked_.types.empty(); }
  int32_t AddLocal(std::string name);
  const LocalName* FindLocal(std::string_view name) const;
  // The function that the target and name of a member call are the qualified name of, or null.
  const Function* QualifiedFunction(const Expr& expr) const;

  const CheckedAst& checked_;
  const Ast& ast_;
  const Environment& environment_;
  std::vector<LocalName> locals_;
  PlanBuilder builder_;
  Plan& plan_ = builder_.plan();
};

}  // namespace bth::cel
