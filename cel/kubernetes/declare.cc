#include "cel/kubernetes/declare.h"

#include <cmath>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cel/values/work.h"

namespace bth::cel {
namespace {

// Ends early where the work is spent: the run is then over, whatever the cost is.
uint64_t WalkCostWithin(Work& work, const Value& value) {
  if (!work.Spend(1)) return 0;
  uint64_t cost = 0;
  switch (value.kind()) {
    case ValueKind::kString:
      return static_cast<uint64_t>(static_cast<double>(value.AsString().size()) * kTextFactor);
    case ValueKind::kBytes:
      return static_cast<uint64_t>(static_cast<double>(value.AsBytes().size()) * kTextFactor);
    case ValueKind::kList: {
      const ListView& list = value.AsList();
      for (size_t i = 0; i < list.size() && !work.is_spent(); ++i) {
        cost = CostSum(cost, WalkCostWithin(work, list.at(i)));
      }
      return cost;
    }
    case ValueKind::kMap: {
      const MapView& map = value.AsMap();
      for (size_t i = 0; i < map.size() && !work.is_spent(); ++i) {
        cost = CostSum(cost, CostSum(WalkCostWithin(work, map.KeyAt(i)),
                                     WalkCostWithin(work, map.ValueAt(i))));
      }
      return cost;
    }
    default:
      return 1;
  }
}

}  // namespace

uint64_t ScaledCost(uint64_t size, double factor) {
  const double scaled = std::ceil(static_cast<double>(size) * factor);
  // The limit is the first double that no longer fits.
  return scaled >= 18446744073709551616.0 ? UINT64_MAX : static_cast<uint64_t>(scaled);
}

CostRange ScaledCost(const SizeRange& size, double factor) {
  return {ScaledCost(size.min, factor), ScaledCost(size.max, factor)};
}

uint64_t CostSum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t CostProduct(uint64_t a, uint64_t b) {
  return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

CostRange CostSum(const CostRange& a, const CostRange& b) {
  return {CostSum(a.min, b.min), CostSum(a.max, b.max)};
}

CostRange CostProduct(const CostRange& a, const CostRange& b) {
  return {CostProduct(a.min, b.min), CostProduct(a.max, b.max)};
}

uint64_t WalkCost(const Value& value) {
  Work own;
  return WalkCostWithin(Work::OfRun(own), value);
}

Price Nominal() {
  return {[](Arguments, const Value&) -> uint64_t { return 1; },
          [](std::span<const SizeRange>) -> CallEstimate {
            return {{1, 1}, {}};
          }};
}

Price TextPrice(double factor, bool keeps_size) {
  return {[factor](Arguments args, const Value&) { return ScaledCost(SizeOf(args[0]), factor); },
          [factor, keeps_size](std::span<const SizeRange> args) -> CallEstimate {
            return {ScaledCost(args[0], factor), keeps_size ? args[0] : SizeRange{}};
          }};
}

Overload GlobalCall(std::string id, std::vector<TypePtr> parameters, TypePtr result,
                    Implementation run, Price price) {
  return {std::move(id),
          false,
          std::move(parameters),
          std::move(result),
          std::move(run),
          std::move(price.run),
          std::move(price.estimate)};
}

Overload MemberCall(std::string id, std::vector<TypePtr> parameters, TypePtr result,
                    Implementation run, Price price) {
  Overload overload = GlobalCall(std::move(id), std::move(parameters), std::move(result),
                                 std::move(run), std::move(price));
  overload.member = true;
  return overload;
}

Value ErrorOf(const absl::Status& status) {
  return Value::Error(std::string(ToStd(status.message())));
}

Value NoSuchOverload() {
  return Value::Error("no such overload");
}

Value TextOr(absl::StatusOr<std::string> text) {
  return text.ok() ? Value::String(*std::move(text)) : ErrorOf(text.status());
}

Value TextList(std::vector<std::string> texts) {
  std::vector<Value> values;
  values.reserve(texts.size());
  for (std::string& text : texts) values.push_back(Value::String(std::move(text)));
  return Value::List(std::move(values));
}

absl::Status AddAll(Environment& environment, std::vector<Function> functions) {
  for (Function& function : functions) {
    const std::string name = function.name;
    BTH_RETURN_IF_ERROR(Annotate(environment.Add(std::move(function)), name));
  }
  return absl::OkStatus();
}

void NameType(Environment& environment, const TypePtr& type) {
  NamedConstant constant;
  constant.name = type->RuntimeName();
  constant.type = Type::TypeOf(type);
  constant.value = Value::Of(type);
  environment.Add(std::move(constant));
}

}  // namespace bth::cel
