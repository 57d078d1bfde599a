#include <utility>

#include "base/strings.h"
#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"

namespace bth::cel {
namespace {

// Each element once, and its text if it is one.
Price EachElementPrice() {
  return {[](Arguments args, const Value&) { return WalkCost(args[0]); },
          [](ArgSizes args) -> CallEstimate {
            CostRange each{1, 1};
            if (args[0].has_text_elements) {
              each.max = CostSum(1, ScaledCost(args[0].element_max, kTextFactor));
            }
            return {CostProduct({args[0].min, args[0].max}, each), {}};
          }};
}

Value IsSorted(Arguments args) {
  const ListView& list = args[0].AsList();
  for (size_t i = 1; i < list.size(); ++i) {
    // What cannot be compared is in order.
    if (Compare(list.at(i - 1), list.at(i)).value_or(0) > 0) return Value::Bool(false);
  }
  return Value::Bool(true);
}

// The element that comes before (-1) or after (1) all others; `name` as users know it.
template <int kSide>
Value Extreme(Arguments args) {
  const ListView& list = args[0].AsList();
  if (list.size() == 0) {
    return Value::Error(StrCat(kSide < 0 ? "min" : "max", " called on empty list"));
  }
  Value best = list.at(0);
  for (size_t i = 1; i < list.size(); ++i) {
    Value item = list.at(i);
    const std::optional<int> order = Compare(item, best);
    if (!order.has_value()) return NoSuchOverload();
    if (*order == kSide) best = std::move(item);
  }
  return best;
}

Value AddUp(const Value& sum, const Value& item) {
  if (sum.kind() != item.kind()) return NoSuchOverload();
  int64_t whole = 0;
  uint64_t natural = 0;
  switch (sum.kind()) {
    case ValueKind::kInt:
      if (__builtin_add_overflow(sum.AsInt(), item.AsInt(), &whole)) {
        return Value::Error("integer overflow");
      }
      return Value::Int(whole);
    case ValueKind::kUint:
      if (__builtin_add_overflow(sum.AsUint(), item.AsUint(), &natural)) {
        return Value::Error("unsigned integer overflow");
      }
      return Value::Uint(natural);
    case ValueKind::kDouble:
      return Value::Double(sum.AsDouble() + item.AsDouble());
    case ValueKind::kDuration:
      if (__builtin_add_overflow(sum.AsDuration().nanos, item.AsDuration().nanos, &whole)) {
        return Value::Error("integer overflow");
      }
      return Value::Of(Duration{whole});
    default:
      return NoSuchOverload();
  }
}

Implementation SumFrom(const Value& zero) {
  return [zero](Arguments args) {
    const ListView& list = args[0].AsList();
    // An element says more of its type than the overload, which may stand for any type.
    Value sum = list.size() == 0 ? zero : list.at(0);
    for (size_t i = 1; i < list.size() && !sum.is_error(); ++i) sum = AddUp(sum, list.at(i));
    return sum;
  };
}

bool IsEqualTo(const Value& a, const Value& b) {
  const Value equal = Equal(a, b);
  return equal.is(ValueKind::kBool) && equal.AsBool();
}

Value FirstPlace(Arguments args) {
  const ListView& list = args[0].AsList();
  for (size_t i = 0; i < list.size(); ++i) {
    if (IsEqualTo(list.at(i), args[1])) return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}

Value LastPlace(Arguments args) {
  const ListView& list = args[0].AsList();
  for (size_t i = list.size(); i-- > 0;) {
    if (IsEqualTo(list.at(i), args[1])) return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}

struct Element {
  const char* name;
  TypePtr type;
};

std::vector<Element> ComparableElements() {
  return {{"int", Type::Int()},           {"uint", Type::Uint()},
          {"double", Type::Double()},     {"bool", Type::Bool()},
          {"duration", Type::Duration()}, {"timestamp", Type::Timestamp()},
          {"string", Type::String()},     {"bytes", Type::Bytes()}};
}

Function SumFunction() {
  const auto overload = [](const Element& element, const Value& zero) {
    return MemberCall(StrCat("list_", element.name, "_sum_", element.name),
                      {Type::List(element.type)}, element.type, SumFrom(zero), EachElementPrice());
  };
  return {"sum",
          {overload({"int", Type::Int()}, Value::Int(0)),
           overload({"uint", Type::Uint()}, Value::Uint(0)),
           overload({"double", Type::Double()}, Value::Double(0)),
           overload({"duration", Type::Duration()}, Value::Of(Duration{}))}};
}

}  // namespace

absl::Status AddListsLibrary(Environment& environment) {
  Function sorted{"isSorted", {}}, least{"min", {}}, most{"max", {}};
  for (const Element& element : ComparableElements()) {
    const TypePtr list = Type::List(element.type);
    sorted.overloads.push_back(MemberCall(StrCat("list_", element.name, "_is_sorted_bool"), {list},
                                          Type::Bool(), IsSorted, EachElementPrice()));
    least.overloads.push_back(MemberCall(StrCat("list_", element.name, "_min_", element.name),
                                         {list}, element.type, Extreme<-1>, EachElementPrice()));
    most.overloads.push_back(MemberCall(StrCat("list_", element.name, "_max_", element.name),
                                        {list}, element.type, Extreme<1>, EachElementPrice()));
  }
  const TypePtr any = Type::Param("T");
  return AddAll(environment, {std::move(sorted),
                              std::move(least),
                              std::move(most),
                              SumFunction(),
                              {"indexOf",
                               {MemberCall("list_a_index_of_int", {Type::List(any), any},
                                           Type::Int(), FirstPlace, EachElementPrice())}},
                              {"lastIndexOf",
                               {MemberCall("list_a_last_index_of_int", {Type::List(any), any},
                                           Type::Int(), LastPlace, EachElementPrice())}}});
}

}  // namespace bth::cel
