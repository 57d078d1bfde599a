// Comprehensions.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/eval/interpreter.h"
#include "cel/eval/literals.h"
#include "cel/values/containers.h"

namespace bth::cel {
namespace {

size_t MembersOf(const Value& range) {
  return range.is(ValueKind::kList) ? range.AsList().size() : range.AsMap().size();
}

// As cel-go names the kinds of values that are no containers.
std::string_view NotIterable(ValueKind kind) {
  switch (kind) {
    case ValueKind::kNull:
      return "types.Null";
    case ValueKind::kBool:
      return "types.Bool";
    case ValueKind::kInt:
      return "types.Int";
    case ValueKind::kUint:
      return "types.Uint";
    case ValueKind::kDouble:
      return "types.Double";
    case ValueKind::kString:
      return "types.String";
    case ValueKind::kBytes:
      return "types.Bytes";
    case ValueKind::kDuration:
      return "types.Duration";
    case ValueKind::kTimestamp:
      return "types.Timestamp";
    case ValueKind::kType:
      return "*types.Type";
    case ValueKind::kOptional:
      return "*types.Optional";
    default:
      return "object";
  }
}

bool IsFalse(const Value& value) {
  return value.is(ValueKind::kBool) && !value.AsBool();
}

}  // namespace

Value Interpreter::Fold(const FoldSite& fold) {
  Value range = Eval(fold.range);
  if (range.is_error()) return range;
  if (!range.is(ValueKind::kList) && !range.is(ValueKind::kMap)) {
    return Value::Error(StrCat("got '", NotIterable(range.kind()), "', expected iterable type"));
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
  for (size_t i = 0; i < members && !exceeded_; ++i) {
    SetMember(fold, range, i);
    const Value condition = Eval(fold.condition);
    if (IsFalse(condition) || !condition.is(ValueKind::kBool)) break;
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
  *error = passes.is_error() ? std::move(passes) : Value::Error("no such overload");
  return false;
}

Value Interpreter::FoldToList(const FoldSite& fold, const Value& range) {
  std::vector<Value> made;
  Value error;
  const size_t members = MembersOf(range);
  for (size_t i = 0; i < members && !exceeded_; ++i) {
    SetMember(fold, range, i);
    if (!PassesFilter(fold, &error)) {
      if (error.is_error()) return error;
      continue;
    }
    Value element = Eval(fold.element);
    if (element.is_error()) return element;
    made.push_back(std::move(element));
    Charge(fold.cost_of_insert);
  }
  return Value::List(std::move(made));
}

Value Interpreter::FoldToMap(const FoldSite& fold, const Value& range) {
  MapMaker maker;
  maker.set_inserting();
  Value error;
  const size_t members = MembersOf(range);
  for (size_t i = 0; i < members && !exceeded_ && !maker.failed(); ++i) {
    SetMember(fold, range, i);
    if (!PassesFilter(fold, &error)) {
      if (error.is_error()) return error;
      continue;
    }
    Value key;
    if (fold.key != kNoStep) key = Eval(fold.key);
    Value element = Eval(fold.element);
    if (key.is_error()) return key;
    if (element.is_error()) return element;
    if (fold.key != kNoStep) {
      maker.Add(std::move(key), std::move(element));
    } else if (element.is(ValueKind::kMap)) {
      maker.AddAll(element.AsMap());
    } else {
      return Value::Error("no such overload");
    }
    Charge(fold.cost_of_insert);
  }
  return std::move(maker).Take();
}

}  // namespace bth::cel
