// && || ! ?: and equality. What is not strict in its arguments, the interpreter does itself; here
// are the same meanings for values that are there.
#include <span>

#include "cel/stdlib/overloads.h"
#include "cel/stdlib/standard.h"
#include "cel/syntax/operators.h"

namespace bth::cel {
namespace {

using LogicArgs = std::span<const Value>;

bool IsTruth(const Value& value, bool truth) {
  return value.is(ValueKind::kBool) && value.AsBool() == truth;
}

// `decisive` on either side decides; else an error stands.
Value Junction(LogicArgs args, bool decisive) {
  if (IsTruth(args[0], decisive) || IsTruth(args[1], decisive)) return Value::Bool(decisive);
  for (const Value& arg : args) {
    if (arg.is_error()) return arg;
    if (!arg.is(ValueKind::kBool)) return Value::Error("no such overload");
  }
  return Value::Bool(!decisive);
}

Value ConditionalOf(LogicArgs args) {
  if (args[0].is_error()) return args[0];
  if (!args[0].is(ValueKind::kBool)) return Value::Error("no such overload");
  return args[0].AsBool() ? args[1] : args[2];
}

Value EqualArgs(LogicArgs args) {
  return Equal(args[0], args[1]);
}

Value UnequalArgs(LogicArgs args) {
  const Value equal = Equal(args[0], args[1]);
  return equal.is_error() ? equal : Value::Bool(!equal.AsBool());
}

}  // namespace

void AddLogicFunctions(Environment& environment) {
  const TypePtr truth = Type::Bool();
  const TypePtr any = Type::Param("A");
  Declare(environment, op::kConditional,
          {GlobalOverload("conditional", {truth, any, any}, any, ConditionalOf)});
  Declare(environment, op::kAnd,
          {GlobalOverload("logical_and", {truth, truth}, truth,
                          [](LogicArgs args) { return Junction(args, false); })});
  Declare(environment, op::kOr,
          {GlobalOverload("logical_or", {truth, truth}, truth,
                          [](LogicArgs args) { return Junction(args, true); })});
  Declare(environment, op::kNot, {GlobalOverload("logical_not", {truth}, truth, [](LogicArgs args) {
            return Value::Bool(!args[0].AsBool());
          })});
  Declare(environment, op::kNotStrictlyFalse,
          {GlobalOverload("not_strictly_false", {truth}, truth,
                          [](LogicArgs args) { return Value::Bool(!IsTruth(args[0], false)); })});
  Declare(environment, op::kEquals,
          {WithCost(GlobalOverload("equals", {any, any}, truth, EqualArgs), CostOfShorter())});
  Declare(
      environment, op::kNotEquals,
      {WithCost(GlobalOverload("not_equals", {any, any}, truth, UnequalArgs), CostOfShorter())});
}

}  // namespace bth::cel
