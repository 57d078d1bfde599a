#include "cel/eval/interpreter.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/strings.h"
#include "cel/eval/candidates.h"
#include "cel/eval/literals.h"
#include "cel/stdlib/index.h"
#include "cel/stdlib/overloads.h"
#include "cel/values/containers.h"

namespace bth::cel {
namespace {

// Kubernetes counts nothing for the members of messages. Those that are beyond what rules are
// written with are counted all the same: making them takes time.
constexpr uint64_t kMembersFree = 100;
// Nor does it count what values and patterns take beyond their sizes. Steps of work that are no
// cost of their own, and how many more make one.
constexpr uint64_t kWorkFree = uint64_t{1} << 16;
constexpr uint64_t kWorkPerCost = 16;

bool IsBool(const Value& value, bool wanted) {
  return value.is(ValueKind::kBool) && value.AsBool() == wanted;
}

size_t MembersOf(const Value& range) {
  return range.is(ValueKind::kList) ? range.AsList().size() : range.AsMap().size();
}

}  // namespace

Interpreter::Interpreter(const Plan& plan, const Activation& activation, uint64_t cost_max)
    : plan_(plan),
      activation_(activation),
      cost_max_(cost_max),
      slots_(static_cast<size_t>(plan.slots)),
      is_bound_(static_cast<size_t>(plan.slots)),
      variables_(plan.variables.size()) {}

Value Interpreter::Cancelled() {
  return Value::Error("operation cancelled: actual cost limit exceeded");
}

Outcome Interpreter::Run() && {
  Outcome outcome;
  const WorkScope scope(work_);
  outcome.value = Eval(plan_.root);
  // What runs together cost bounds the time they take: work that cost does not follow counts.
  if (work_.steps() > kWorkFree) cost_ = std::max(cost_, work_.steps() / kWorkPerCost);
  if (work_.is_spent()) cost_ = std::max(cost_, AddCost(cost_max_, 1));
  outcome.cost = cost_;
  outcome.cost_exceeded = is_over();
  if (outcome.cost_exceeded) outcome.value = Cancelled();
  return outcome;
}

void Interpreter::Charge(uint64_t cost) {
  cost_ = AddCost(cost_, cost);
}

Value Interpreter::Failed(Value error) {
  Charge(1);
  return error;
}

Value Interpreter::Eval(StepId id) {
  if (is_over()) return Cancelled();
  const Step& step = plan_[id];
  if (IsChain(step.kind)) return ValueOf(Chain(id));
  Value value = EvalOperator(step);
  if (step.cost > 0) Charge(step.cost);
  return value;
}

Value Interpreter::EvalOperator(const Step& step) {
  const auto table = static_cast<size_t>(step.table);
  switch (step.kind) {
    case StepKind::kConstant:
      return plan_.constants[table];
    case StepKind::kVariable:
      return Variable(step);
    case StepKind::kLocal:
      return Slot(step.table);
    case StepKind::kBound:
      return Bound(step);
    case StepKind::kName:
      return Name(step);
    case StepKind::kPath:
    case StepKind::kIndex:
    case StepKind::kOptionalIndex:
    case StepKind::kOptionalSelect:
      break;  // Chains, which Eval() sees to.
    case StepKind::kHas:
      return Has(step);
    case StepKind::kAnd:
      return Junction(step, false);
    case StepKind::kOr:
      return Junction(step, true);
    case StepKind::kNotStrictlyFalse:
      return Value::Bool(!IsBool(Eval(step.a), false));
    case StepKind::kConditional:
      return Conditional(step);
    case StepKind::kEqual:
    case StepKind::kNotEqual:
      return Equality(step);
    case StepKind::kIn:
    case StepKind::kInSet:
      return In(step);
    case StepKind::kMatches:
      return Matches(step);
    case StepKind::kOptionalOr:
    case StepKind::kOptionalOrValue:
      return OptionalOr(step);
    case StepKind::kCall:
      return Call(plan_.calls[table]);
    case StepKind::kList:
      return ListOf(plan_.literals[table].items);
    case StepKind::kMap:
      return MapOf(plan_.literals[table].items);
    case StepKind::kStruct:
      return plan_.literals[table].message == nullptr ? ObjectOf(plan_.literals[table])
                                                      : MessageOf(plan_.literals[table]);
    case StepKind::kFold:
      return Fold(plan_.folds[table]);
  }
  return NoOverload();
}

// --- operators ---

// `decisive` on either side decides; else the first error stands.
Value Interpreter::Junction(const Step& step, bool decisive) {
  Value left = Eval(step.a);
  if (IsBool(left, decisive)) return left;
  Value right = Eval(step.b);
  if (IsBool(right, decisive)) return right;
  if (!left.is(ValueKind::kBool)) return ErrorOrNoOverload(std::move(left));
  if (!right.is(ValueKind::kBool)) return ErrorOrNoOverload(std::move(right));
  return right;
}

Value Interpreter::Conditional(const Step& step) {
  Value condition = Eval(step.a);
  if (!condition.is(ValueKind::kBool)) return ErrorOrNoOverload(std::move(condition));
  return Eval(condition.AsBool() ? step.b : step.c);
}

Value Interpreter::Equality(const Step& step) {
  const Value a = Eval(step.a);
  const Value b = Eval(step.b);
  if (a.is_error()) return Failed(a);
  if (b.is_error()) return Failed(b);
  Charge(ScaleCost(std::min(SizeOf(a), SizeOf(b)), kTraversalFactor));
  Value equal = Equal(a, b);
  if (equal.is_error() || step.kind == StepKind::kEqual) return equal;
  return Value::Bool(!equal.AsBool());
}

Value Interpreter::In(const Step& step) {
  Value member = Eval(step.a);
  if (step.kind == StepKind::kInSet) {
    if (member.is_error()) return member;
    const Value& set = plan_.constants[static_cast<size_t>(step.table)];
    if (set.is(ValueKind::kList)) return ListContains(set.AsList(), member);
    return Value::Bool(set.AsMap().Find(member).has_value());
  }
  const Value container = Eval(step.b);
  if (member.is_error()) return Failed(member);
  if (container.is_error()) return Failed(container);
  const bool is_known_list = step.table == 1;
  if (container.is(ValueKind::kList)) {
    Charge(is_known_list ? container.AsList().size() : 1);
    if (is_over()) return Cancelled();
    return ListContains(container.AsList(), member);
  }
  Charge(1);
  if (container.is(ValueKind::kMap)) {
    return Value::Bool(container.AsMap().Contains(member));
  }
  return NoOverload();
}

Value Interpreter::Matches(const Step& step) {
  const Value text = Eval(step.a);
  if (text.is_error()) return Failed(text);
  if (!text.is(ValueKind::kString)) return Failed(NoOverload());
  const Value& pattern = plan_.constants[static_cast<size_t>(plan_[step.b].table)];
  Charge(MultiplyCost(ScaleCost(AddCost(SizeOf(text), 1), kTraversalFactor),
                      ScaleCost(SizeOf(pattern), kPatternFactor)));
  if (is_over()) return Cancelled();
  return plan_.patterns[static_cast<size_t>(step.table)]->Matches(text.AsString());
}

Value Interpreter::OptionalOr(const Step& step) {
  Value base = Eval(step.a);
  if (base.is_error()) return base;
  if (!base.is(ValueKind::kOptional)) return NoOverload();
  const Value* content = base.AsOptional();
  if (step.kind == StepKind::kOptionalOrValue) return content != nullptr ? *content : Eval(step.b);
  if (content != nullptr) return base;
  Value other = Eval(step.b);
  if (!other.is(ValueKind::kOptional)) return ErrorOrNoOverload(std::move(other));
  return other;
}

Value Interpreter::Call(const CallSite& call) {
  absl::InlinedVector<Value, 3> args;
  for (const StepId arg : call.args) args.push_back(Eval(arg));
  for (const Value& arg : args) {
    if (arg.is_error()) return Failed(arg);
  }
  if (is_over()) return Cancelled();
  const std::span<const Value> given(args.data(), args.size());
  const Candidate* chosen = PickCandidate(call, given);
  if (chosen == nullptr) return Failed(NoCandidate(call, given));
  Value result = chosen->overload->run(given);
  // Cost follows the overload where the check has found it. Else a call is one step, but for texts
  // it makes and lists it merges: they take memory.
  const bool is_made = result.is(ValueKind::kString) || result.is(ValueKind::kBytes) ||
                       (result.is(ValueKind::kList) && result.AsList().keys() != nullptr);
  const bool has_cost = chosen->overload->run_cost && (call.candidates.size() == 1 || is_made);
  Charge(has_cost ? chosen->overload->run_cost(given, result) : 1);
  return result;
}

// --- literals ---

std::optional<Value> Interpreter::ItemValue(const LiteralSite::Item& item, const Value* key) {
  Value value = Eval(item.value);
  if (!item.optional || value.is_error()) return value;
  if (value.is(ValueKind::kOptional)) {
    const Value* content = value.AsOptional();
    if (content == nullptr) return std::nullopt;
    return *content;
  }
  return NotOptional(key, value);
}

Value Interpreter::ListOf(const Items& items) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const LiteralSite::Item& item : items) {
    std::optional<Value> value = ItemValue(item, nullptr);
    if (!value) continue;
    if (value->is_error()) return *std::move(value);
    values.push_back(*std::move(value));
  }
  return Value::List(std::move(values));
}

Value Interpreter::MapOf(const Items& items) {
  MapMaker maker;
  for (const LiteralSite::Item& item : items) {
    Value key = Eval(item.key);
    if (key.is_error()) return key;
    std::optional<Value> value = ItemValue(item, &key);
    if (!value) continue;
    if (value->is_error()) return *std::move(value);
    maker.Add(std::move(key), *std::move(value));
  }
  return std::move(maker).Take();
}

Value Interpreter::ObjectOf(const LiteralSite& site) {
  auto object = std::make_shared<MadeObject>(site.type);
  for (const LiteralSite::Item& item : site.items) {
    if (site.type->fields() != nullptr && site.type->fields()->FieldType(item.field) == nullptr) {
      return Value::Error(StrCat("no such field: ", item.field));
    }
    const Value field = Value::StringView(item.field);
    std::optional<Value> value = ItemValue(item, &field);
    if (!value) continue;
    if (value->is_error()) return *std::move(value);
    object->Set(item.field, *std::move(value));
  }
  return Value::Of(std::shared_ptr<const ObjectView>(std::move(object)));
}

Value Interpreter::MessageOf(const LiteralSite& site) {
  std::vector<Message::GivenField> given;
  for (const LiteralSite::Item& item : site.items) {
    const Value field = Value::StringView(item.field);
    std::optional<Value> value = ItemValue(item, &field);
    if (!value) continue;
    if (value->is_error()) return *std::move(value);
    given.emplace_back(item.field, *std::move(value));
  }
  uint64_t members = 0;
  Value made = site.message->make(given, &members);
  if (members > kMembersFree) Charge(ScaleCost(members - kMembersFree, kTraversalFactor));
  return made;
}

// --- comprehensions ---

Value Interpreter::Bound(const Step& step) {
  const auto slot = static_cast<size_t>(step.table);
  if (!is_bound_[slot]) {
    Value value = Eval(step.a);
    slots_[slot] = std::move(value);
    is_bound_[slot] = true;
  }
  return slots_[slot];
}

Value Interpreter::Fold(const FoldSite& fold) {
  if (fold.kind == FoldKind::kBind) {
    is_bound_[static_cast<size_t>(fold.accu_slot)] = false;
    return Eval(fold.result);
  }
  Value range = Eval(fold.range);
  if (range.is_error()) return range;
  if (!range.is(ValueKind::kList) && !range.is(ValueKind::kMap)) {
    return NotIterable(range);
  }
  switch (fold.kind) {
    case FoldKind::kList:
      return FoldToList(fold, range);
    case FoldKind::kMap:
      return FoldToMap(fold, range);
    default:
      return FoldGeneral(fold, range);
  }
}

// One variable sees elements of lists and keys of maps; two see index or key, and value.
void Interpreter::SetMember(const FoldSite& fold, const Value& range, size_t index) {
  const bool has_two = fold.iter2_slot >= 0;
  if (range.is(ValueKind::kList)) {
    if (has_two) Slot(fold.iter_slot) = Value::Int(static_cast<int64_t>(index));
    Slot(has_two ? fold.iter2_slot : fold.iter_slot) = range.AsList().at(index);
    return;
  }
  Slot(fold.iter_slot) = range.AsMap().KeyAt(index);
  if (has_two) Slot(fold.iter2_slot) = range.AsMap().ValueAt(index);
}

Value Interpreter::FoldGeneral(const FoldSite& fold, const Value& range) {
  Slot(fold.accu_slot) = Eval(fold.init);
  const size_t members = MembersOf(range);
  for (size_t i = 0; i < members && !is_over(); ++i) {
    SetMember(fold, range, i);
    const Value condition = Eval(fold.condition);
    if (!IsBool(condition, true)) break;
    // Named first: the step reads the slot.
    Value next = Eval(fold.step);
    Slot(fold.accu_slot) = std::move(next);
  }
  return Eval(fold.result);
}

bool Interpreter::PassesFilter(const FoldSite& fold, Value* error) {
  if (fold.filter == kNoStep) return true;
  Value passes = Eval(fold.filter);
  if (passes.is(ValueKind::kBool)) return passes.AsBool();
  *error = ErrorOrNoOverload(std::move(passes));
  return false;
}

// An error stays what is accumulated; the other members are looked at all the same, as their cost
// counts.
Value Interpreter::FoldToList(const FoldSite& fold, const Value& range) {
  std::vector<Value> made;
  Value error;
  const size_t members = MembersOf(range);
  for (size_t i = 0; i < members && !is_over(); ++i) {
    SetMember(fold, range, i);
    if (!PassesFilter(fold, &error)) continue;
    Value element = Eval(fold.element);
    Charge(fold.cost_of_insert);
    if (error.is_error()) continue;
    if (element.is_error()) {
      error = std::move(element);
    } else {
      made.push_back(std::move(element));
    }
  }
  return error.is_error() ? error : Value::List(std::move(made));
}

Value Interpreter::FoldToMap(const FoldSite& fold, const Value& range) {
  MapMaker maker;
  maker.set_inserting();
  Value error;
  const size_t members = MembersOf(range);
  for (size_t i = 0; i < members && !is_over(); ++i) {
    SetMember(fold, range, i);
    if (!PassesFilter(fold, &error)) continue;
    Value key;
    if (fold.key != kNoStep) key = Eval(fold.key);
    Value element = Eval(fold.element);
    Charge(fold.cost_of_insert);
    if (error.is_error()) continue;
    if (key.is_error() || element.is_error()) {
      error = key.is_error() ? std::move(key) : std::move(element);
    } else if (fold.key != kNoStep) {
      maker.Add(std::move(key), std::move(element));
    } else if (element.is(ValueKind::kMap)) {
      maker.AddAll(element.AsMap());
    } else {
      error = NoOverload();
    }
  }
  return error.is_error() ? error : std::move(maker).Take();
}

}  // namespace bth::cel
