#include "cel/messages/field_kinds.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/strings.h"
#include "cel/messages/json_form.h"

namespace bth::cel {
namespace {

// A kind of field as cel-go's messages name its type.
std::string_view NativeName(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
      return "bool";
    case FieldKind::kInt32:
      return "int32";
    case FieldKind::kInt64:
      return "int64";
    case FieldKind::kUint32:
      return "uint32";
    case FieldKind::kUint64:
      return "uint64";
    case FieldKind::kFloat:
      return "float32";
    case FieldKind::kDouble:
      return "float64";
    case FieldKind::kString:
      return "string";
    case FieldKind::kBytes:
      return "[]uint8";
    case FieldKind::kEnum:
      return "protoreflect.EnumNumber";
    case FieldKind::kList:
      return "*structpb.ListValue";
    case FieldKind::kStruct:
      return "*structpb.Struct";
    default:
      return "*structpb.Value";
  }
}

Value IntInRange(int64_t value, int64_t min, int64_t max) {
  return value < min || value > max ? Value::Error("integer overflow") : Value::Int(value);
}

// A double that has no more digits than a float. Beyond its range it is infinite.
Value RoundToFloat(double value) {
  constexpr double kMax = std::numeric_limits<float>::max();
  // What rounds up to the next power of two is infinite; C++ leaves such conversions open.
  constexpr double kTooLarge = 0x1.ffffffp127;
  if (value > kMax) return Value::Double(value >= kTooLarge ? HUGE_VAL : kMax);
  if (value < -kMax) return Value::Double(value <= -kTooLarge ? -HUGE_VAL : -kMax);
  return Value::Double(static_cast<double>(static_cast<float>(value)));
}

// The value as the field keeps it, an error of its own, or null: of a kind that the field has not.
Value Fitted(FieldKind kind, const Value& value, uint64_t* members) {
  const auto as = [&](ValueKind wanted) { return value.is(wanted) ? value : Value::Null(); };
  switch (kind) {
    case FieldKind::kBool:
      return as(ValueKind::kBool);
    case FieldKind::kInt32:
    case FieldKind::kEnum:
      if (!value.is(ValueKind::kInt)) return Value::Null();
      return IntInRange(value.AsInt(), std::numeric_limits<int32_t>::min(),
                        std::numeric_limits<int32_t>::max());
    case FieldKind::kInt64:
      return as(ValueKind::kInt);
    case FieldKind::kUint32:
      if (!value.is(ValueKind::kUint)) return Value::Null();
      if (value.AsUint() > std::numeric_limits<uint32_t>::max()) {
        return Value::Error("unsigned integer overflow");
      }
      return value;
    case FieldKind::kUint64:
      return as(ValueKind::kUint);
    case FieldKind::kFloat:
      return value.is(ValueKind::kDouble) ? RoundToFloat(value.AsDouble()) : Value::Null();
    case FieldKind::kDouble:
      return as(ValueKind::kDouble);
    case FieldKind::kString:
      return as(ValueKind::kString);
    case FieldKind::kBytes:
      return as(ValueKind::kBytes);
    case FieldKind::kList:
    case FieldKind::kItems:
      return value.is(ValueKind::kList) ? JsonForm(value, members) : Value::Null();
    case FieldKind::kStruct:
    case FieldKind::kEntries:
      return value.is(ValueKind::kMap) ? JsonForm(value, members) : Value::Null();
  }
  return Value::Null();
}

}  // namespace

TypePtr TypeOfField(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
      return Type::Bool();
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kEnum:
      return Type::Int();
    case FieldKind::kUint32:
    case FieldKind::kUint64:
      return Type::Uint();
    case FieldKind::kFloat:
    case FieldKind::kDouble:
      return Type::Double();
    case FieldKind::kString:
      return Type::String();
    case FieldKind::kBytes:
      return Type::Bytes();
    case FieldKind::kList:
    case FieldKind::kItems:
      return Type::List(Type::Dyn());
    case FieldKind::kStruct:
    case FieldKind::kEntries:
      return Type::Map(Type::String(), Type::Dyn());
  }
  return Type::Dyn();
}

Value DefaultOfField(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
      return Value::Bool(false);
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kEnum:
      return Value::Int(0);
    case FieldKind::kUint32:
    case FieldKind::kUint64:
      return Value::Uint(0);
    case FieldKind::kFloat:
    case FieldKind::kDouble:
      return Value::Double(0);
    case FieldKind::kString:
      return Value::String("");
    case FieldKind::kBytes:
      return Value::Bytes("");
    case FieldKind::kList:
    case FieldKind::kItems:
      return Value::List({});
    case FieldKind::kStruct:
    case FieldKind::kEntries:
      return Value::Map({});
  }
  return Value::Null();
}

Value FitField(FieldKind kind, std::string_view field, const Value& value, uint64_t* members) {
  Value fitted = Fitted(kind, value, members);
  if (!fitted.is(ValueKind::kNull) && !fitted.is_error()) return fitted;
  const bool is_container = kind == FieldKind::kItems || kind == FieldKind::kEntries;
  if (fitted.is(ValueKind::kNull) && is_container) {
    return Value::Error(
        StrCat("unsupported field type for ", field, ": ", value.type()->ToString()));
  }
  const std::string fault =
      fitted.is_error() ? std::string(fitted.AsString()) : ConversionFault(value, NativeName(kind));
  return Value::Error(StrCat("field type conversion error for ", field, " value type: ", fault));
}

}  // namespace bth::cel
