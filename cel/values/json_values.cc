#include "cel/values/json_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/values/text_forms.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

const TypePtr& OrDyn(const TypePtr& type) {
  return type == nullptr ? Type::Dyn() : type;
}

const TypePtr& ParameterOrDyn(const Type& type, size_t index) {
  return index < type.parameters().size() ? OrDyn(type.parameters()[index]) : Type::Dyn();
}

class JsonList final : public ListView {
 public:
  JsonList(const types::Json::Array& items, TypePtr element)
      : items_(items), element_(std::move(element)) {}
  size_t size() const override { return items_.size(); }
  Value at(size_t index) const override { return FromJson(items_[index], element_); }

 private:
  const types::Json::Array& items_;
  TypePtr element_;
};

// Keys are texts, whatever type a map declares for them: JSON has no other.
class JsonMap final : public MapView {
 public:
  JsonMap(const types::Json& json, TypePtr value) : json_(json), value_(std::move(value)) {}
  size_t size() const override { return json_.members().size(); }
  std::optional<Value> Find(const Value& key) const override {
    if (!key.is(ValueKind::kString)) return std::nullopt;
    const types::Json* found = json_.Find(key.AsString());
    if (found == nullptr) return std::nullopt;
    return FromJson(*found, value_);
  }
  Value KeyAt(size_t index) const override {
    return Value::StringView(json_.members()[index].first);
  }
  Value ValueAt(size_t index) const override {
    return FromJson(json_.members()[index].second, value_);
  }

 private:
  const types::Json& json_;
  TypePtr value_;
};

class JsonObject final : public ObjectView {
 public:
  JsonObject(const types::Json& json, TypePtr type) : json_(json), type_(std::move(type)) {}
  const TypePtr& type() const override { return type_; }
  std::optional<Value> Field(std::string_view name) const override {
    const types::Json* found = json_.Find(name);
    if (found == nullptr) return std::nullopt;
    const TypePtr declared = type_->fields()->FieldType(name);
    if (declared == nullptr) return std::nullopt;
    return FromJson(*found, declared);
  }
  std::vector<std::string> SetFields() const override {
    std::vector<std::string> names;
    for (const types::Json::Member& member : json_.members()) {
      if (type_->fields()->FieldType(member.first) != nullptr) names.push_back(member.first);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  const types::Json& json_;
  TypePtr type_;
};

Value WrongJson(const types::Json& json, std::string_view wanted) {
  return Value::Error(StrCat("invalid data, expected ", wanted, ", got ", json.TypeName()));
}

// As the document has it.
Value UntypedJson(const types::Json& json) {
  if (json.is_bool()) return Value::Bool(json.AsBool());
  if (json.is_int()) return Value::Int(json.AsInt());
  if (json.is_double()) return Value::Double(json.AsDouble());
  if (json.is_string()) return Value::StringView(json.AsString());
  if (json.is_array()) {
    return Value::Of(std::make_shared<const JsonList>(json.items(), Type::Dyn()));
  }
  if (json.is_object()) return Value::Of(std::make_shared<const JsonMap>(json, Type::Dyn()));
  return Value::Null();
}

Value IntFromJson(const types::Json& json) {
  if (json.is_int()) return Value::Int(json.AsInt());
  const double number = json.AsDouble();
  if (!json.is_double() || std::trunc(number) != number || !(std::fabs(number) < 0x1p63)) {
    return WrongJson(json, "integer");
  }
  return Value::Int(static_cast<int64_t>(number));
}

Value UintFromJson(const types::Json& json) {
  const Value number = IntFromJson(json);
  if (number.is_error() || number.AsInt() < 0) return WrongJson(json, "unsigned integer");
  return Value::Uint(static_cast<uint64_t>(number.AsInt()));
}

Value TimestampFromJson(const types::Json& json) {
  if (!json.is_string()) return WrongJson(json, "date-time string");
  std::optional<Timestamp> time = ParseTimestamp(json.AsString());
  if (!time) time = ParseDate(json.AsString());
  if (!time || time->seconds < kTimestampMin || time->seconds > kTimestampMax) {
    return Value::Error(
        StrCat("invalid data, not a date or date-time: ", QuotedText(json.AsString())));
  }
  return Value::Of(*time);
}

Value DurationFromJson(const types::Json& json) {
  if (!json.is_string()) return WrongJson(json, "duration string");
  const std::optional<Duration> duration = ParseDuration(json.AsString());
  if (!duration) {
    return Value::Error(StrCat("invalid data, not a duration: ", QuotedText(json.AsString())));
  }
  return Value::Of(*duration);
}

Value BytesFromJson(const types::Json& json) {
  if (!json.is_string()) return WrongJson(json, "byte string");
  std::optional<std::string> bytes = DecodeBase64(json.AsString());
  if (!bytes) return Value::Error("invalid data, not base64");
  return Value::Bytes(*std::move(bytes));
}

}  // namespace

Value FromJson(const types::Json& json, const TypePtr& type) {
  if (type == nullptr || json.is_null()) return UntypedJson(json);
  switch (type->kind()) {
    case TypeKind::kBool:
      return json.is_bool() ? Value::Bool(json.AsBool()) : WrongJson(json, "boolean");
    case TypeKind::kInt:
      return IntFromJson(json);
    case TypeKind::kUint:
      return UintFromJson(json);
    case TypeKind::kDouble:
      return json.is_number() ? Value::Double(json.AsDouble()) : WrongJson(json, "number");
    case TypeKind::kString:
      return json.is_string() ? Value::StringView(json.AsString()) : WrongJson(json, "string");
    case TypeKind::kBytes:
      return BytesFromJson(json);
    case TypeKind::kDuration:
      return DurationFromJson(json);
    case TypeKind::kTimestamp:
      return TimestampFromJson(json);
    case TypeKind::kNull:
      return WrongJson(json, "null");
    case TypeKind::kList:
      if (!json.is_array()) return WrongJson(json, "array");
      return Value::Of(std::make_shared<const JsonList>(json.items(), ParameterOrDyn(*type, 0)));
    case TypeKind::kMap:
      if (!json.is_object()) return WrongJson(json, "object");
      return Value::Of(std::make_shared<const JsonMap>(json, ParameterOrDyn(*type, 1)));
    case TypeKind::kObject:
      if (!json.is_object()) return WrongJson(json, "object");
      if (type->fields() == nullptr) return UntypedJson(json);
      return Value::Of(std::make_shared<const JsonObject>(json, type));
    case TypeKind::kOptional:
      return Value::OptionalOf(FromJson(json, ParameterOrDyn(*type, 0)));
    default:
      return UntypedJson(json);
  }
}

}  // namespace bth::cel
