// Runs a plan once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "cel/eval/plan.h"
#include "cel/program.h"
#include "cel/stdlib/index.h"
#include "cel/values/value.h"
#include "cel/values/work.h"

namespace bth::cel {

// The state of one run. Steps recurse, at most kPlanDepthMax deep. Cost is counted as Kubernetes
// counts it; once it is beyond its limit, or the run's work is spent, every step gives an error and
// the run winds up.
class Interpreter final {
 public:
  Interpreter(const Plan& plan, const Activation& activation, uint64_t cost_max);
  Outcome Run() &&;

 private:
  using Items = std::vector<LiteralSite::Item>;

  Value Eval(StepId id);
  // The rest are kept apart, so that a level of recursion takes little of the stack.
  Value EvalOperator(const Step& step);
  [[gnu::noinline]] Value Variable(const Step& step);
  [[gnu::noinline]] Value Name(const Step& step);
  [[gnu::noinline]] Value Has(const Step& step);
  [[gnu::noinline]] Value Junction(const Step& step, bool decisive);
  [[gnu::noinline]] Value Conditional(const Step& step);
  [[gnu::noinline]] Value Equality(const Step& step);
  [[gnu::noinline]] Value In(const Step& step);
  [[gnu::noinline]] Value Matches(const Step& step);
  [[gnu::noinline]] Value OptionalOr(const Step& step);
  [[gnu::noinline]] Value Call(const CallSite& call);
  [[gnu::noinline]] Value ListOf(const Items& items);
  [[gnu::noinline]] Value MapOf(const Items& items);
  [[gnu::noinline]] Value ObjectOf(const LiteralSite& site);
  [[gnu::noinline]] Value MessageOf(const LiteralSite& site);
  [[gnu::noinline]] Value Bound(const Step& step);
  [[gnu::noinline]] Value Fold(const FoldSite& fold);
  [[gnu::noinline]] Value FoldGeneral(const FoldSite& fold, const Value& range);
  [[gnu::noinline]] Value FoldToList(const FoldSite& fold, const Value& range);
  [[gnu::noinline]] Value FoldToMap(const FoldSite& fold, const Value& range);

  // What a chain of selections and indexes has come to.
  struct Link {
    Value value;  // Of an optional chain: what the optional holds.
    bool is_optional = false;
    bool is_none = false;  // A member of an optional chain is not there.
    // What follows is not looked at.
    bool is_over() const { return is_none || value.is_error(); }
  };
  static Value ValueOf(Link link);
  [[gnu::noinline]] Link Chain(StepId id);
  [[gnu::noinline]] Link FirstLink(StepId id);
  void FollowField(std::string_view field, Link* link);
  void FollowIndex(StepId index, Link* link);
  template <typename Text>
  void Keep(Member member, Link* link, const Text& missing);

  // Puts member `index` of a list or map into the fold's slots.
  void SetMember(const FoldSite& fold, const Value& range, size_t index);
  // True: keep the member. False: skip it; *error is set if that could not be told.
  bool PassesFilter(const FoldSite& fold, Value* error);
  // A value that may be left out: nothing if it is optional.none().
  std::optional<Value> ItemValue(const LiteralSite::Item& item, const Value* key);
  static Value NoOverload() { return Value::Error("no such overload"); }
  // The value itself if it is an error, else that it is of the wrong type.
  static Value ErrorOrNoOverload(Value value) {
    return value.is_error() ? std::move(value) : NoOverload();
  }
  static Value Cancelled();
  bool is_over() const { return cost_ > cost_max_ || work_.is_spent(); }
  void Charge(uint64_t cost);
  // Of a call whose argument is an error: one step, as if it had been made.
  Value Failed(Value error);
  Value& Slot(int32_t slot) { return slots_[static_cast<size_t>(slot)]; }

  const Plan& plan_;
  const Activation& activation_;
  const uint64_t cost_max_;
  uint64_t cost_ = 0;
  Work work_;
  absl::InlinedVector<Value, 4> slots_;
  // Slots of bound names that have been computed since they were bound.
  absl::InlinedVector<bool, 4> is_bound_;
  // Of plan_.variables, asked for once.
  absl::InlinedVector<std::optional<Value>, 4> variables_;
};

}  // namespace bth::cel
