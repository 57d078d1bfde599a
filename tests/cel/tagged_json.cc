#include "tests/cel/tagged_json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/values/json_values.h"
#include "cel/values/text_forms.h"
#include "cel/values/time_text.h"

namespace bth::test {
namespace {

using cel::Type;
using cel::TypePtr;
using cel::Value;
using cel::ValueKind;
using types::Json;

constexpr std::string_view kDurationUrl = "type.googleapis.com/google.protobuf.Duration";
constexpr std::string_view kTimestampUrl = "type.googleapis.com/google.protobuf.Timestamp";

double DoubleFromTagged(const Json& json) {
  if (json.is_number()) return json.AsDouble();
  if (json.AsString() == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return json.AsString().starts_with('-') ? -infinity : infinity;
}

Json TaggedDouble(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

// JSON of a message that stands for any JSON: its numbers are doubles.
Value ValueOfStruct(const Json& json) {
  if (json.is_number()) return Value::Double(json.AsDouble());
  if (json.is_array()) {
    std::vector<Value> items;
    for (const Json& item : json.items()) items.push_back(ValueOfStruct(item));
    return Value::List(std::move(items));
  }
  if (json.is_object()) {
    std::vector<std::pair<Value, Value>> entries;
    for (const auto& [key, value] : json.members()) {
      entries.emplace_back(Value::String(key), ValueOfStruct(value));
    }
    return Value::Map(std::move(entries));
  }
  return json.is_string() ? Value::String(std::string(json.AsString()))
                          : cel::FromJson(json, nullptr);
}

int64_t IntOf(const Json& json) {
  int64_t number = json.AsInt();
  return json.is_string() && !SimpleAtoi(json.AsString(), &number) ? 0 : number;
}

// Protocol buffers' wrappers are their values.
std::optional<Value> ObjectFromTagged(const Json& json) {
  const std::string_view url = json["@type"].AsString();
  const Json& value = json["value"];
  if (url == kDurationUrl) {
    const auto duration = cel::ParseDuration(value.AsString());
    if (duration) return Value::Of(*duration);
  }
  if (url == kTimestampUrl) {
    const auto time = cel::ParseTimestamp(value.AsString());
    if (time) return Value::Of(*time);
  }
  const std::string_view name = url.substr(url.rfind('.') + 1);
  if (name == "Int32Value" || name == "Int64Value") return Value::Int(IntOf(value));
  if (name == "UInt32Value" || name == "UInt64Value") {
    return Value::Uint(static_cast<uint64_t>(IntOf(value)));
  }
  if (name == "FloatValue" || name == "DoubleValue") return Value::Double(DoubleFromTagged(value));
  if (name == "BytesValue") {
    return Value::Bytes(cel::DecodeBase64(value.AsString()).value_or(std::string()));
  }
  if (name == "BoolValue" || name == "StringValue" || name == "Struct" || name == "ListValue" ||
      name == "Value") {
    return ValueOfStruct(value);
  }
  return std::nullopt;
}

std::optional<Value> MapFromTagged(const Json& json) {
  std::vector<std::pair<Value, Value>> entries;
  for (const Json& entry : json["entries"].items()) {
    auto key = ValueFromTagged(entry["key"]);
    auto value = ValueFromTagged(entry["value"]);
    if (!key || !value) return std::nullopt;
    entries.emplace_back(*std::move(key), *std::move(value));
  }
  return Value::Map(std::move(entries));
}

std::optional<Value> ListFromTagged(const Json& json) {
  std::vector<Value> items;
  for (const Json& item : json["values"].items()) {
    auto value = ValueFromTagged(item);
    if (!value) return std::nullopt;
    items.push_back(*std::move(value));
  }
  return Value::List(std::move(items));
}

Json Tagged(std::string_view tag, Json value) {
  return Json::MakeObject({{std::string(tag), std::move(value)}});
}

Json TaggedMap(const cel::MapView& map) {
  Json entries = Json::MakeArray();
  for (size_t i = 0; i < map.size(); ++i) {
    entries.MutableItems().push_back(Json::MakeObject(
        {{"key", TaggedFromValue(map.KeyAt(i))}, {"value", TaggedFromValue(map.ValueAt(i))}}));
  }
  return Tagged("mapValue", Json::MakeObject({{"entries", std::move(entries)}}));
}

Json TaggedList(const cel::ListView& list) {
  Json values = Json::MakeArray();
  for (size_t i = 0; i < list.size(); ++i) {
    values.MutableItems().push_back(TaggedFromValue(list.at(i)));
  }
  return Tagged("listValue", Json::MakeObject({{"values", std::move(values)}}));
}

Json TaggedMessage(std::string_view url, std::string value) {
  return Tagged("objectValue",
                Json::MakeObject({{"@type", Json(url)}, {"value", Json(std::move(value))}}));
}

TypePtr PrimitiveType(std::string_view name) {
  if (name == "BOOL") return Type::Bool();
  if (name == "INT64") return Type::Int();
  if (name == "UINT64") return Type::Uint();
  if (name == "DOUBLE") return Type::Double();
  if (name == "STRING") return Type::String();
  if (name == "BYTES") return Type::Bytes();
  return nullptr;
}

}  // namespace

std::optional<Value> ValueFromTagged(const Json& json) {
  if (json.members().size() != 1) return cel::FromJson(json, nullptr);
  const auto& [tag, value] = json.members()[0];
  if (tag == "nullValue") return Value::Null();
  if (tag == "boolValue") return Value::Bool(value.AsBool());
  if (tag == "int64Value") {
    int64_t number = 0;
    if (!SimpleAtoi(value.AsString(), &number)) return std::nullopt;
    return Value::Int(number);
  }
  if (tag == "uint64Value") {
    uint64_t number = 0;
    if (!SimpleAtoi(value.AsString(), &number)) return std::nullopt;
    return Value::Uint(number);
  }
  if (tag == "doubleValue") return Value::Double(DoubleFromTagged(value));
  if (tag == "stringValue") return Value::String(std::string(value.AsString()));
  if (tag == "bytesValue") {
    return Value::Bytes(cel::DecodeBase64(value.AsString()).value_or(std::string()));
  }
  if (tag == "listValue") return ListFromTagged(value);
  if (tag == "mapValue") return MapFromTagged(value);
  if (tag == "objectValue") return ObjectFromTagged(value);
  return cel::FromJson(json, nullptr);
}

Json TaggedFromValue(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return Tagged("nullValue", Json());
    case ValueKind::kBool:
      return Tagged("boolValue", value.AsBool());
    case ValueKind::kInt:
      return Tagged("int64Value", Json(StrCat(value.AsInt())));
    case ValueKind::kUint:
      return Tagged("uint64Value", Json(StrCat(value.AsUint())));
    case ValueKind::kDouble:
      return Tagged("doubleValue", TaggedDouble(value.AsDouble()));
    case ValueKind::kString:
      return Tagged("stringValue", Json(value.AsString()));
    case ValueKind::kBytes:
      return Tagged("bytesValue", Json(cel::EncodeBase64(value.AsBytes())));
    case ValueKind::kDuration:
      return TaggedMessage(kDurationUrl, cel::DurationText(value.AsDuration()));
    case ValueKind::kTimestamp:
      return TaggedMessage(kTimestampUrl, cel::TimestampText(value.AsTimestamp()));
    case ValueKind::kList:
      return TaggedList(value.AsList());
    case ValueKind::kMap:
      return TaggedMap(value.AsMap());
    case ValueKind::kType:
      return Tagged("typeValue", Json(value.AsType()->RuntimeName()));
    case ValueKind::kOptional:
      return Tagged("optional",
                    value.AsOptional() == nullptr ? Json() : TaggedFromValue(*value.AsOptional()));
    default:
      return Tagged("opaque", Json(value.DebugText()));
  }
}

TypePtr TypeFromTagged(const Json& json) {
  if (json.members().size() != 1) return nullptr;
  const auto& [tag, value] = json.members()[0];
  if (tag == "dyn") return Type::Dyn();
  if (tag == "null") return Type::Null();
  if (tag == "messageType") {
    if (value.AsString() == "google.protobuf.Duration") return Type::Duration();
    if (value.AsString() == "google.protobuf.Timestamp") return Type::Timestamp();
    return value.AsString().starts_with("google.protobuf.") ? Type::Dyn() : nullptr;
  }
  if (tag == "wrapper") {
    const TypePtr of = PrimitiveType(value.AsString());
    return of == nullptr ? nullptr : Type::Wrapper(of);
  }
  if (tag == "primitive") return PrimitiveType(value.AsString());
  if (tag == "typeParam") return Type::Param(std::string(value.AsString()));
  if (tag == "wellKnown") {
    if (value.AsString() == "DURATION") return Type::Duration();
    if (value.AsString() == "TIMESTAMP") return Type::Timestamp();
    return value.AsString() == "ANY" ? Type::Any() : nullptr;
  }
  if (tag == "type") return Type::TypeOf(TypeFromTagged(value));
  if (tag == "listType") {
    TypePtr element = TypeFromTagged(value["elemType"]);
    return element == nullptr ? nullptr : Type::List(std::move(element));
  }
  if (tag == "mapType") {
    TypePtr key = TypeFromTagged(value["keyType"]);
    TypePtr member = TypeFromTagged(value["valueType"]);
    if (key == nullptr || member == nullptr) return nullptr;
    return Type::Map(std::move(key), std::move(member));
  }
  if (tag == "abstractType" && value["name"].AsString() == "optional_type") {
    TypePtr of = TypeFromTagged(value["parameterTypes"][size_t{0}]);
    return of == nullptr ? nullptr : Type::Optional(std::move(of));
  }
  return nullptr;
}

}  // namespace bth::test
