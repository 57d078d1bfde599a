#include "cel/messages/well_known.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/messages/message_spec.h"
#include "cel/messages/packed_message.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;

class SpecFields final : public ObjectFields {
 public:
  explicit SpecFields(const MessageSpec& spec) : spec_(spec) {}
  TypePtr FieldType(std::string_view field) const override {
    for (const FieldSpec& known : spec_.fields) {
      if (known.name == field) return TypeOfField(known.kind);
    }
    return nullptr;
  }
  std::vector<std::string> FieldNames() const override {
    std::vector<std::string> names;
    for (const FieldSpec& field : spec_.fields) names.emplace_back(field.name);
    return names;
  }

 private:
  const MessageSpec& spec_;
};

// The one message that stands for nothing but itself.
const TypePtr& EmptyType() {
  static const MessageSpec kNoFields{};
  static const TypePtr kType =
      Type::Object("google.protobuf.Empty", std::make_shared<const SpecFields>(kNoFields));
  return kType;
}

class EmptyMessage final : public ObjectView {
 public:
  const TypePtr& type() const override { return EmptyType(); }
  std::optional<Value> Field(std::string_view /*name*/) const override { return std::nullopt; }
  std::vector<std::string> SetFields() const override { return {}; }
};

Value ValueOrDefault(const MessageSpec& spec, FieldValues fields, size_t place) {
  return fields[place] ? *fields[place] : DefaultOfField(spec.fields[place].kind);
}

// Of messages with one field: wrappers, ListValue, Struct.
Value OnlyField(const MessageSpec& spec, FieldValues fields, MakingState& /*state*/) {
  return ValueOrDefault(spec, fields, 0);
}

// Of google.protobuf.Value: whatever is set.
Value JsonValue(const MessageSpec& spec, FieldValues fields, MakingState& /*state*/) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool is_null = spec.fields[i].kind == FieldKind::kEnum;
    if (fields[i]) return is_null ? Value::Null() : *fields[i];
  }
  return Value::Null();
}

// Beyond the range of durations: the nearest one, as in Kubernetes.
Value DurationValue(const MessageSpec& spec, FieldValues fields, MakingState& /*state*/) {
  const int64_t seconds = ValueOrDefault(spec, fields, 0).AsInt();
  const int64_t nanos = ValueOrDefault(spec, fields, 1).AsInt();
  int64_t sum = 0;
  if (__builtin_mul_overflow(seconds, kNanosPerSecond, &sum) ||
      __builtin_add_overflow(sum, nanos, &sum)) {
    sum = seconds < 0 ? INT64_MIN : INT64_MAX;
  }
  return Value::Of(Duration{sum});
}

Value TimestampValue(const MessageSpec& spec, FieldValues fields, MakingState& /*state*/) {
  const int64_t nanos = ValueOrDefault(spec, fields, 1).AsInt();
  int64_t seconds = ValueOrDefault(spec, fields, 0).AsInt();
  int64_t carried = nanos / kNanosPerSecond;
  int64_t rest = nanos % kNanosPerSecond;
  if (rest < 0) {
    rest += kNanosPerSecond;
    --carried;
  }
  if (__builtin_add_overflow(seconds, carried, &seconds) || seconds < kTimestampMin ||
      seconds > kTimestampMax) {
    return Value::Error("timestamp overflow");
  }
  return Value::Of(Timestamp{seconds, static_cast<int32_t>(rest)});
}

Value AnyValue(const MessageSpec& spec, FieldValues fields, MakingState& state) {
  const Value url = ValueOrDefault(spec, fields, 0);
  const Value content = ValueOrDefault(spec, fields, 1);
  return UnpackMessage(url.AsString(), content.AsBytes(), state);
}

Value EmptyValue(const MessageSpec& /*spec*/, FieldValues /*fields*/, MakingState& /*state*/) {
  return Value::Of(std::shared_ptr<const ObjectView>(std::make_shared<const EmptyMessage>()));
}

constexpr FieldSpec kBoolFields[] = {{"value", 1, FieldKind::kBool}};
constexpr FieldSpec kInt32Fields[] = {{"value", 1, FieldKind::kInt32}};
constexpr FieldSpec kInt64Fields[] = {{"value", 1, FieldKind::kInt64}};
constexpr FieldSpec kUint32Fields[] = {{"value", 1, FieldKind::kUint32}};
constexpr FieldSpec kUint64Fields[] = {{"value", 1, FieldKind::kUint64}};
constexpr FieldSpec kFloatFields[] = {{"value", 1, FieldKind::kFloat}};
constexpr FieldSpec kDoubleFields[] = {{"value", 1, FieldKind::kDouble}};
constexpr FieldSpec kStringFields[] = {{"value", 1, FieldKind::kString}};
constexpr FieldSpec kBytesFields[] = {{"value", 1, FieldKind::kBytes}};
constexpr FieldSpec kTimeFields[] = {{"seconds", 1, FieldKind::kInt64},
                                     {"nanos", 2, FieldKind::kInt32}};
constexpr FieldSpec kAnyFields[] = {{"type_url", 1, FieldKind::kString},
                                    {"value", 2, FieldKind::kBytes}};
constexpr FieldSpec kListFields[] = {{"values", 1, FieldKind::kItems}};
constexpr FieldSpec kStructFields[] = {{"fields", 1, FieldKind::kEntries}};
constexpr FieldSpec kValueFields[] = {
    {"null_value", 1, FieldKind::kEnum},     {"number_value", 2, FieldKind::kDouble},
    {"string_value", 3, FieldKind::kString}, {"bool_value", 4, FieldKind::kBool},
    {"struct_value", 5, FieldKind::kStruct}, {"list_value", 6, FieldKind::kList}};

template <const TypePtr& (*kOf)()>
TypePtr WrapperOf() {
  return Type::Wrapper(kOf());
}
template <const TypePtr& (*kType)()>
TypePtr TypeItself() {
  return kType();
}
TypePtr ListOfJson() {
  return TypeOfField(FieldKind::kList);
}
TypePtr MapOfJson() {
  return TypeOfField(FieldKind::kStruct);
}

constexpr MessageSpec kMessages[] = {
    {"google.protobuf.BoolValue", kBoolFields, WrapperOf<Type::Bool>, OnlyField},
    {"google.protobuf.BytesValue", kBytesFields, WrapperOf<Type::Bytes>, OnlyField},
    {"google.protobuf.DoubleValue", kDoubleFields, WrapperOf<Type::Double>, OnlyField},
    {"google.protobuf.FloatValue", kFloatFields, WrapperOf<Type::Double>, OnlyField},
    {"google.protobuf.Int32Value", kInt32Fields, WrapperOf<Type::Int>, OnlyField},
    {"google.protobuf.Int64Value", kInt64Fields, WrapperOf<Type::Int>, OnlyField},
    {"google.protobuf.StringValue", kStringFields, WrapperOf<Type::String>, OnlyField},
    {"google.protobuf.UInt32Value", kUint32Fields, WrapperOf<Type::Uint>, OnlyField},
    {"google.protobuf.UInt64Value", kUint64Fields, WrapperOf<Type::Uint>, OnlyField},
    {"google.protobuf.ListValue", kListFields, ListOfJson, OnlyField},
    {"google.protobuf.Struct", kStructFields, MapOfJson, OnlyField},
    {"google.protobuf.Value", kValueFields, TypeItself<Type::Dyn>, JsonValue, /*is_union=*/true},
    {"google.protobuf.Duration", kTimeFields, TypeItself<Type::Duration>, DurationValue},
    {"google.protobuf.Timestamp", kTimeFields, TypeItself<Type::Timestamp>, TimestampValue},
    {"google.protobuf.Any", kAnyFields, TypeItself<Type::Any>, AnyValue},
    {"google.protobuf.Empty", {}, TypeItself<EmptyType>, EmptyValue},
};

}  // namespace

const MessageSpec* FindWellKnownMessage(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMessages), std::end(kMessages),
                                   [name](const MessageSpec& spec) { return spec.name == name; });
  return found == std::end(kMessages) ? nullptr : found;
}

Value MakeMessage(const MessageSpec& spec, std::span<const Message::GivenField> given,
                  MakingState& state) {
  std::vector<std::optional<Value>> values(spec.fields.size());
  for (const auto& [name, value] : given) {
    const auto field = std::find_if(spec.fields.begin(), spec.fields.end(),
                                    [&](const FieldSpec& known) { return known.name == name; });
    if (field == spec.fields.end()) return Value::Error(StrCat("no such field: ", name));
    Value fitted = FitField(field->kind, StrCat(spec.name, ".", name), value, &state.members);
    if (fitted.is_error()) return fitted;
    if (spec.is_union) std::fill(values.begin(), values.end(), std::nullopt);
    values[static_cast<size_t>(field - spec.fields.begin())] = std::move(fitted);
  }
  return spec.value(spec, values, state);
}

void AddWellKnownMessages(Environment& environment) {
  for (const MessageSpec& spec : kMessages) {
    environment.Add(Message{std::string(spec.name), spec.type(), std::make_shared<SpecFields>(spec),
                            [&spec](std::span<const Message::GivenField> given, uint64_t* members) {
                              MakingState state;
                              Value made = MakeMessage(spec, given, state);
                              *members += state.members;
                              return made;
                            }});
  }
  environment.AddObjectType(EmptyType());
  environment.Add(
      NamedConstant{"google.protobuf.NullValue.NULL_VALUE", Type::Int(), Value::Int(0)});
}

}  // namespace bth::cel
