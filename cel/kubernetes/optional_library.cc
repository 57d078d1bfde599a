#include <utility>

#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"

namespace bth::cel {
namespace {

// The moment that stands for no moment.
constexpr Timestamp kZeroTime{-62135596800, 0};

bool IsZero(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return true;
    case ValueKind::kBool:
      return !value.AsBool();
    case ValueKind::kInt:
      return value.AsInt() == 0;
    case ValueKind::kUint:
      return value.AsUint() == 0;
    case ValueKind::kDouble:
      return value.AsDouble() == 0;
    case ValueKind::kString:
      return value.AsString().empty();
    case ValueKind::kBytes:
      return value.AsBytes().empty();
    case ValueKind::kDuration:
      return value.AsDuration().nanos == 0;
    case ValueKind::kTimestamp:
      return value.AsTimestamp() == kZeroTime;
    case ValueKind::kList:
      return value.AsList().size() == 0;
    case ValueKind::kMap:
      return value.AsMap().size() == 0;
    case ValueKind::kObject:
      return value.AsObject().SetFields().empty();
    default:
      return false;
  }
}

Value NoneDereferenced() {
  return Value::Error("optional.none() dereference");
}

// The target of a member, or null; `problem` says why.
const Value* Content(const Value& target, Value* problem) {
  if (!target.is(ValueKind::kOptional)) {
    *problem = NoSuchOverload();
    return nullptr;
  }
  *problem = NoneDereferenced();
  return target.AsOptional();
}

Value Unwrap(Arguments args) {
  const ListView& list = args[0].AsList();
  std::vector<Value> items;
  for (size_t i = 0; i < list.size(); ++i) {
    Value item = list.at(i);
    if (item.is_error()) return item;
    if (!item.is(ValueKind::kOptional)) {
      return Value::Error("value " + item.DebugText() + " is not optional");
    }
    if (item.AsOptional() != nullptr) items.push_back(*item.AsOptional());
  }
  return Value::List(std::move(items));
}

Value EndOfList(Arguments args, bool last) {
  const ListView& list = args[0].AsList();
  if (list.size() == 0) return Value::OptionalNone();
  return Value::OptionalOf(list.at(last ? list.size() - 1 : 0));
}

std::vector<Function> MakeOptionals() {
  const TypePtr any = Type::Param("V"), optional = Type::Optional(any);
  return {
      {"optional.of",
       {GlobalCall("optional_of", {any}, optional,
                   [](Arguments args) { return Value::OptionalOf(args[0]); })}},
      {"optional.ofNonZeroValue",
       {GlobalCall("optional_ofNonZeroValue", {any}, optional,
                   [](Arguments args) {
                     return IsZero(args[0]) ? Value::OptionalNone() : Value::OptionalOf(args[0]);
                   })}},
      {"optional.none",
       {GlobalCall("optional_none", {}, optional,
                   [](Arguments) { return Value::OptionalNone(); })}},
      {"optional.unwrap",
       {GlobalCall("optional_unwrap", {Type::List(optional)}, Type::List(any), Unwrap)}},
      {"unwrapOpt",
       {MemberCall("optional_unwrapOpt", {Type::List(optional)}, Type::List(any), Unwrap)}},
      {"first",
       {MemberCall("list_first", {Type::List(any)}, optional,
                   [](Arguments args) { return EndOfList(args, false); })}},
      {"last",
       {MemberCall("list_last", {Type::List(any)}, optional,
                   [](Arguments args) { return EndOfList(args, true); })}},
  };
}

// `or` and `orValue` look at their argument only where it is wanted; the run does that by their
// names (cel/eval), and counts nothing for it.
Price FreePrice() {
  return {[](Arguments, const Value&) -> uint64_t { return 0; }, Nominal().estimate};
}

std::vector<Function> ReadOptionals() {
  const TypePtr any = Type::Param("V"), optional = Type::Optional(any);
  return {
      {"value",
       {MemberCall("optional_value", {optional}, any,
                   [](Arguments args) {
                     Value problem;
                     const Value* content = Content(args[0], &problem);
                     return content == nullptr ? problem : *content;
                   })}},
      {"hasValue",
       {MemberCall("optional_hasValue", {optional}, Type::Bool(),
                   [](Arguments args) {
                     if (!args[0].is(ValueKind::kOptional)) return NoSuchOverload();
                     return Value::Bool(args[0].AsOptional() != nullptr);
                   })}},
      {"or",
       {MemberCall(
           "optional_or_optional", {optional, optional}, optional,
           [](Arguments args) {
             if (!args[0].is(ValueKind::kOptional)) return NoSuchOverload();
             return args[0].AsOptional() != nullptr ? args[0] : args[1];
           },
           FreePrice())}},
      {"orValue",
       {MemberCall(
           "optional_orValue_value", {optional, any}, any,
           [](Arguments args) {
             if (!args[0].is(ValueKind::kOptional)) return args[0];
             return args[0].AsOptional() != nullptr ? *args[0].AsOptional() : args[1];
           },
           FreePrice())}},
  };
}

}  // namespace

absl::Status AddOptionalLibrary(Environment& environment) {
  NameType(environment, Type::Optional(Type::Dyn()));
  if (absl::Status status = AddAll(environment, MakeOptionals()); !status.ok()) return status;
  return AddAll(environment, ReadOptionals());
}

}  // namespace bth::cel
