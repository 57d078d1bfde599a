#include "cel/kubernetes/device.h"

#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/environment.h"
#include "cel/values/containers.h"

namespace bth::cel {
namespace {

TypePtr QuantityType() {
  static const TypePtr kType = Type::Opaque("kubernetes.Quantity");
  return kType;
}

// The fields of a device and their types.
class DeviceFields final : public ObjectFields {
 public:
  TypePtr FieldType(std::string_view field) const override {
    const TypePtr& text = Type::String();
    if (field == "driver") return text;
    if (field == "attributes") return Type::Map(text, Type::Map(text, Type::Dyn()));
    if (field == "capacity") return Type::Map(text, Type::Map(text, QuantityType()));
    if (field == "allowMultipleAllocations") return Type::Bool();
    return nullptr;
  }
  std::vector<std::string> FieldNames() const override {
    return {"allowMultipleAllocations", "attributes", "capacity", "driver"};
  }
};

const TypePtr& DeviceType() {
  static const TypePtr kType =
      Type::Object("kubernetes.DRADevice", std::make_shared<DeviceFields>());
  return kType;
}

// By domain. Asked for a domain that it does not have, it gives an empty map.
class DomainMap final : public MapView {
 public:
  explicit DomainMap(std::vector<std::pair<Value, Value>> entries) : known_(std::move(entries)) {}
  size_t size() const override { return known_.size(); }
  std::optional<Value> Find(const Value& key) const override {
    std::optional<Value> found = known_.Find(key);
    if (found || !key.is(ValueKind::kString)) return found;
    return Value::Map({});
  }
  bool Contains(const Value& key) const override { return known_.Find(key).has_value(); }
  Value KeyAt(size_t index) const override { return known_.KeyAt(index); }
  Value ValueAt(size_t index) const override { return known_.ValueAt(index); }

 private:
  const VectorMap known_;
};

Value ByDomain(const std::vector<DeviceDescription::Entry>& entries) {
  std::map<std::string_view, std::vector<std::pair<Value, Value>>> domains;
  for (const DeviceDescription::Entry& entry : entries) {
    const size_t slash = entry.full_name.find('/');
    const std::string_view name =
        slash == entry.full_name.npos ? entry.full_name : entry.full_name.substr(slash + 1);
    const std::string_view domain =
        slash == entry.full_name.npos ? std::string_view() : entry.full_name.substr(0, slash);
    domains[domain].emplace_back(Value::StringView(name), entry.value);
  }
  std::vector<std::pair<Value, Value>> out;
  for (auto& [domain, values] : domains) {
    out.emplace_back(Value::StringView(domain), Value::Map(std::move(values)));
  }
  return Value::Of(std::make_shared<const DomainMap>(std::move(out)));
}

class DeviceObject final : public ObjectView {
 public:
  explicit DeviceObject(const DeviceDescription& device)
      : driver_(Value::StringView(device.driver)),
        attributes_(ByDomain(device.attributes)),
        capacity_(ByDomain(device.capacity)),
        shared_(device.shared) {}
  const TypePtr& type() const override { return DeviceType(); }
  std::optional<Value> Field(std::string_view name) const override {
    if (name == "driver") return driver_;
    if (name == "attributes") return attributes_;
    if (name == "capacity") return capacity_;
    if (name == "allowMultipleAllocations") return Value::Bool(shared_);
    return std::nullopt;
  }
  std::vector<std::string> SetFields() const override {
    return {"allowMultipleAllocations", "attributes", "capacity", "driver"};
  }

 private:
  const Value driver_;
  const Value attributes_;
  const Value capacity_;
  const bool shared_;
};

// Whether a list has the second argument, or whatever else is not a list is equal to it.
Value Includes(Arguments args) {
  // Of an attribute of a slice.
  constexpr size_t kItemsMax = 48;
  const auto is_it = [&args](const Value& item) {
    const Value equal = Equal(item, args[1]);
    return equal.is(ValueKind::kBool) && equal.AsBool();
  };
  if (!args[0].is(ValueKind::kList)) return Value::Bool(is_it(args[0]));
  const ListView& list = args[0].AsList();
  if (list.size() > kItemsMax) {
    return Value::Error(StrCat("'includes' function cannot be applied to lists longer than ",
                               kItemsMax, " values"));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (is_it(list.at(i))) return Value::Bool(true);
  }
  return Value::Bool(false);
}

// What the library's function that makes such a value of a text makes of it.
Value MadeBy(std::string_view function, std::string_view text) {
  const Function* found = KubernetesEnvironment()->FindFunction(function);
  const Value argument = Value::String(std::string(text));
  return found->overloads.front().run(std::span<const Value>(&argument, 1));
}

}  // namespace

std::shared_ptr<const Environment> DeviceEnvironment() {
  static const auto* const kEnvironment = [] {
    std::shared_ptr<Environment> environment = KubernetesEnvironment()->Extend();
    environment->Add(Variable{"device", DeviceType()});
    const absl::Status added =
        AddAll(*environment, {{"includes",
                               {MemberCall("dra_includes_dyn_dyn", {Type::Dyn(), Type::Dyn()},
                                           Type::Bool(), Includes)}}});
    BTH_CHECK(added.ok());
    return new std::shared_ptr<const Environment>(std::move(environment));
  }();
  return *kEnvironment;
}

Value DeviceValue(const DeviceDescription& device) {
  return Value::Of(std::shared_ptr<const ObjectView>(std::make_shared<const DeviceObject>(device)));
}

Value SemverOf(std::string_view text) {
  return MadeBy("semver", text);
}

Value QuantityOf(std::string_view text) {
  return MadeBy("quantity", text);
}

}  // namespace bth::cel
