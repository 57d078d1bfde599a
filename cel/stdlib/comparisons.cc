// < <= > >= for every pair of types that has an order.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/stdlib/overloads.h"
#include "cel/stdlib/standard.h"
#include "cel/syntax/operators.h"

namespace bth::cel {
namespace {

using OrderTest = bool (*)(int order);

Value CompareArgs(std::span<const Value> args, OrderTest test) {
  const std::optional<int> order = Compare(args[0], args[1]);
  if (!order) return Value::Error("NaN values cannot be ordered");
  return Value::Bool(test(*order));
}

struct OrderedType {
  std::string_view name;
  TypePtr type;
};

// `prefix` begins the overloads' ids: less, greater_equals ...
void DeclareOrder(Environment& environment, const char* function, std::string_view prefix,
                  OrderTest test) {
  const Implementation run = [test](std::span<const Value> args) {
    return CompareArgs(args, test);
  };
  const OrderedType numbers[] = {
      {"int64", Type::Int()}, {"uint64", Type::Uint()}, {"double", Type::Double()}};
  const OrderedType others[] = {
      {"bool", Type::Bool()}, {"timestamp", Type::Timestamp()}, {"duration", Type::Duration()}};
  const OrderedType texts[] = {{"string", Type::String()}, {"bytes", Type::Bytes()}};
  std::vector<Overload> overloads;
  const auto add = [&](std::string_view name, const TypePtr& a, const TypePtr& b) {
    overloads.push_back(GlobalOverload(StrCat(prefix, "_", name), {a, b}, Type::Bool(), run));
  };
  for (const OrderedType& other : others) add(other.name, other.type, other.type);
  for (const OrderedType& a : numbers) {
    for (const OrderedType& b : numbers) {
      const std::string pair = a.name == b.name ? std::string(a.name) : StrCat(a.name, "_", b.name);
      add(pair, a.type, b.type);
    }
  }
  for (const OrderedType& text : texts) {
    add(text.name, text.type, text.type);
    overloads.back() = WithCost(std::move(overloads.back()), CostOfShorter());
  }
  Declare(environment, function, std::move(overloads));
}

}  // namespace

void AddComparisonFunctions(Environment& environment) {
  DeclareOrder(environment, op::kLess, "less", [](int order) { return order < 0; });
  DeclareOrder(environment, op::kLessEquals, "less_equals", [](int order) { return order <= 0; });
  DeclareOrder(environment, op::kGreater, "greater", [](int order) { return order > 0; });
  DeclareOrder(environment, op::kGreaterEquals, "greater_equals",
               [](int order) { return order >= 0; });
}

}  // namespace bth::cel
