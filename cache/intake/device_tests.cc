#include "cache/intake/device_tests.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/types/quantity.h"
#include "base/strings.h"
#include "cel/kubernetes/device.h"
#include "cel/program.h"

namespace bth::cache {
namespace {

using model::AttributeValue;
using model::DeviceFacts;

cel::Value ValueOf(const AttributeValue& attribute) {
  switch (attribute.kind) {
    case AttributeValue::Kind::kInt:
      return cel::Value::Int(attribute.number);
    case AttributeValue::Kind::kBool:
      return cel::Value::Bool(attribute.number != 0);
    case AttributeValue::Kind::kText:
      return cel::Value::StringView(attribute.text);
    case AttributeValue::Kind::kVersion:
      return cel::SemverOf(attribute.text);
    case AttributeValue::Kind::kList: {
      std::vector<cel::Value> items;
      for (const AttributeValue& item : attribute.items) items.push_back(ValueOf(item));
      return cel::Value::List(std::move(items));
    }
  }
  return cel::Value::Null();
}

cel::Value ValueOf(const model::CapacityAmount& amount) {
  const auto format =
      amount.binary ? types::Quantity::Format::kBinarySI : types::Quantity::Format::kDecimalSI;
  return cel::QuantityOf(types::Quantity::FromMilli(amount.milli, format).ToString());
}

class CelDeviceTest final : public model::DeviceTest {
 public:
  CelDeviceTest(uint64_t serial, cel::Program program)
      : DeviceTest(serial), program_(std::move(program)) {}

  Outcome Run(std::string_view driver, const DeviceFacts& device) const override {
    cel::DeviceDescription description;
    description.driver = driver;
    description.shared = device.shared;
    for (const auto& [name, value] : device.attributes) {
      description.attributes.push_back({name, ValueOf(value)});
    }
    for (const model::DeviceCapacityFacts& capacity : device.capacities) {
      description.capacity.push_back({capacity.name, ValueOf(capacity)});
    }
    cel::Bindings bindings;
    bindings.Set("device", cel::DeviceValue(description));
    const cel::Outcome outcome = program_.Run(bindings, {.cost_max = cel::kDeviceExpressionCost});
    Outcome out;
    out.cost = outcome.cost;
    if (outcome.value.is_error()) {
      out.error = std::string(outcome.value.AsString());
    } else if (outcome.value.is(cel::ValueKind::kBool)) {
      out.matches = outcome.value.AsBool();
    } else {
      out.error = "the result is not a boolean";
    }
    return out;
  }

 private:
  const cel::Program program_;
};

}  // namespace

model::DeviceSelectorFacts DeviceTests::Of(const std::string& expression) {
  model::DeviceSelectorFacts out;
  if (const auto known = known_.find(expression); known != known_.end()) {
    out.test = known->second.lock();
    if (out.test != nullptr) return out;
  }
  if (expression.size() > cel::kDeviceExpressionMax) {
    out.fault = StrCat("the expression has ", expression.size(), " bytes, more than ",
                       cel::kDeviceExpressionMax);
    return out;
  }
  absl::StatusOr<cel::Program> program =
      cel::Compile(expression, cel::DeviceEnvironment(), {.result = cel::Type::Bool()});
  if (!program.ok()) {
    out.fault = std::string(program.status().message());
    return out;
  }
  out.test = std::make_shared<const CelDeviceTest>(++serials_, *std::move(program));
  if (known_.size() >= sweep_at_) Sweep();
  known_[expression] = out.test;
  return out;
}

std::shared_ptr<const model::DeviceAskId> DeviceTests::AskOf(const std::string& text) {
  if (asks_.size() >= sweep_asks_at_) {
    absl::erase_if(asks_, [](const auto& entry) { return entry.second.expired(); });
    sweep_asks_at_ = std::max<size_t>(64, 2 * asks_.size());
  }
  std::weak_ptr<const model::DeviceAskId>& known = asks_[text];
  std::shared_ptr<const model::DeviceAskId> out = known.lock();
  if (out != nullptr) return out;
  out = std::make_shared<const model::DeviceAskId>();
  known = out;
  return out;
}

void DeviceTests::Sweep() {
  absl::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max<size_t>(64, 2 * known_.size());
}

}  // namespace bth::cache
