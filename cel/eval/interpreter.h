// Runs a plan once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cel/eval/plan.h"
#include "cel/program.h"
#include "cel/values/value.h"

namespace bth::cel {

// The state of one run. Steps recurse, at most kPlanDepthMax deep. Cost is counted as Kubernetes
// counts it; once it is beyond its limit, every step gives an error and the run winds up.
class Interpreter final {
 public:
  Interpreter(const Plan& plan, const Activation& activation, uint64_t cost_max);
  Outcome Run() &&;

 private:
  using Items = std::vector<LiteralSite::Item>;

  Value Eval(StepId id);
  Value EvalOperator(const Step& step);
  Value Variable(const Step& step);
  Value Name(const Step& step);
  Value Path(const Step& step);
  Value Has(const Step& step);
  Value Index(const Step& step);
  Value OptionalIndex(const Step& step);
  Value OptionalSelect(const Step& step);
  Value Junction(const Step& step, bool decisive);
  Value Conditional(const Step& step);
  Value Equality(const Step& step);
  Value In(const Step& step);
  Value Matches(const Step& step);
  Value OptionalOr(const Step& step);
  Value Call(const CallSite& call);
  Value ListOf(const Items& items);
  Value MapOf(const Items& items);
  Value ObjectOf(const LiteralSite& site);
  Value Fold(const FoldSite& fold);
  // Each gives the result, or nothing after every member was seen.
  Value FoldGeneral(const FoldSite& fold, const Value& range);
  Value FoldToList(const FoldSite& fold, const Value& range);
  Value FoldToMap(const FoldSite& fold, const Value& range);

  // Puts member `index` of a list or map into the fold's slots.
  void SetMember(const FoldSite& fold, const Value& range, size_t index);
  // True: keep the member. False: skip it; *error is set if that could not be told.
  bool PassesFilter(const FoldSite& fold, Value* error);
  // A value that may be left out: nothing if it is optional.none().
  std::optional<Value> ItemValue(const LiteralSite::Item& item, const Value* key);
  void Charge(uint64_t cost);
  // Of a call whose argument is an error: one step, as if it had been made.
  Value Failed(Value error);
  Value& Slot(int32_t slot) { return slots_[static_cast<size_t>(slot)]; }

  const Plan& plan_;
  const Activation& activation_;
  const uint64_t cost_max_;
  uint64_t cost_ = 0;
  // Of the cost of the step that is being run: selections from an optional that found nothing.
  uint8_t free_ = 0;
  bool exceeded_ = false;
  std::vector<Value> slots_;
  // Of plan_.variables, asked for once.
  std::vector<std::optional<Value>> variables_;
};

}  // namespace bth::cel
