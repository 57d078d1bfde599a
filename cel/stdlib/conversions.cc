// int(), uint(), double(), string(), bytes(), bool(), timestamp(), duration(), dyn(), type().
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "cel/stdlib/overloads.h"
#include "cel/stdlib/standard.h"
#include "cel/values/text_forms.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

using ConversionArgs = std::span<const Value>;

Value Unconverted(std::string_view from, std::string_view to) {
  return Value::Error(StrCat("type conversion error from '", from, "' to '", to, "'"));
}

Value SameValue(ConversionArgs args) {
  return args[0];
}

// --- to numbers ---

Value UintToInt(ConversionArgs args) {
  if (args[0].AsUint() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Value::Error("integer overflow");
  }
  return Value::Int(static_cast<int64_t>(args[0].AsUint()));
}

Value DoubleToInt(ConversionArgs args) {
  // The ends themselves are refused: doubles near them stand for other ints as well.
  if (!(args[0].AsDouble() > -0x1p63 && args[0].AsDouble() < 0x1p63)) {
    return Value::Error("integer overflow");
  }
  return Value::Int(static_cast<int64_t>(args[0].AsDouble()));
}

Value StringToInt(ConversionArgs args) {
  int64_t number = 0;
  if (ReadInt(args[0].AsString(), &number) != NumberFault::kNone) {
    return Unconverted("string", "int");
  }
  return Value::Int(number);
}

Value TimestampToInt(ConversionArgs args) {
  return Value::Int(args[0].AsTimestamp().seconds);
}

Value DurationToInt(ConversionArgs args) {
  return Value::Int(args[0].AsDuration().nanos);
}

Value IntToUint(ConversionArgs args) {
  if (args[0].AsInt() < 0) return Value::Error("unsigned integer overflow");
  return Value::Uint(static_cast<uint64_t>(args[0].AsInt()));
}

Value DoubleToUint(ConversionArgs args) {
  if (!(args[0].AsDouble() >= 0 && args[0].AsDouble() < 0x1p64)) {
    return Value::Error("unsigned integer overflow");
  }
  return Value::Uint(static_cast<uint64_t>(args[0].AsDouble()));
}

Value StringToUint(ConversionArgs args) {
  uint64_t number = 0;
  if (ReadUint(args[0].AsString(), &number) != NumberFault::kNone) {
    return Unconverted("string", "uint");
  }
  return Value::Uint(number);
}

Value IntToDouble(ConversionArgs args) {
  return Value::Double(static_cast<double>(args[0].AsInt()));
}

Value UintToDouble(ConversionArgs args) {
  return Value::Double(static_cast<double>(args[0].AsUint()));
}

Value StringToDouble(ConversionArgs args) {
  double number = 0;
  if (ReadDouble(args[0].AsString(), &number) != NumberFault::kNone) {
    return Unconverted("string", "double");
  }
  return Value::Double(number);
}

// --- to texts and bytes ---

Value BoolToString(ConversionArgs args) {
  return Value::StringView(args[0].AsBool() ? "true" : "false");
}

Value IntToString(ConversionArgs args) {
  return Value::String(StrCat(args[0].AsInt()));
}

Value UintToString(ConversionArgs args) {
  return Value::String(StrCat(args[0].AsUint()));
}

Value DoubleToString(ConversionArgs args) {
  return Value::String(DoubleText(args[0].AsDouble()));
}

Value BytesToString(ConversionArgs args) {
  if (!IsValidUtf8(args[0].AsBytes())) {
    return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
  }
  return Value::String(std::string(args[0].AsBytes()));
}

Value TimestampToString(ConversionArgs args) {
  return Value::String(TimestampText(args[0].AsTimestamp()));
}

Value DurationToString(ConversionArgs args) {
  return Value::String(DurationText(args[0].AsDuration()));
}

Value StringToBytes(ConversionArgs args) {
  return Value::Bytes(std::string(args[0].AsString()));
}

// --- to truths and times ---

Value StringToBool(ConversionArgs args) {
  const std::string_view text = args[0].AsString();
  for (const std::string_view word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == word) return Value::Bool(true);
  }
  for (const std::string_view word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == word) return Value::Bool(false);
  }
  return Unconverted("string", "bool");
}

Value StringToTimestamp(ConversionArgs args) {
  const std::optional<Timestamp> time = ParseTimestamp(args[0].AsString());
  if (!time) return Unconverted("string", "google.protobuf.Timestamp");
  if (time->seconds < kTimestampMin || time->seconds > kTimestampMax) {
    return Value::Error("timestamp overflow");
  }
  return Value::Of(*time);
}

Value IntToTimestamp(ConversionArgs args) {
  const int64_t seconds = args[0].AsInt();
  if (seconds < kTimestampMin || seconds > kTimestampMax) {
    return Value::Error("timestamp overflow");
  }
  return Value::Of(Timestamp{seconds, 0});
}

Value StringToDuration(ConversionArgs args) {
  const std::optional<Duration> duration = ParseDuration(args[0].AsString());
  if (!duration) return Unconverted("string", "google.protobuf.Duration");
  return Value::Of(*duration);
}

// Declared, as the check lets it pass, but a number does not say in which unit it is.
Value IntToDuration(ConversionArgs /*args*/) {
  return Unconverted("int", "google.protobuf.Duration");
}

Value TypeOfValue(ConversionArgs args) {
  return Value::Of(args[0].type());
}

Overload From(std::string id, const TypePtr& from, const TypePtr& to, Implementation run) {
  return GlobalOverload(std::move(id), {from}, to, std::move(run));
}

// What a conversion between texts and bytes costs; a code point has one to four bytes.
CallCost CostOfRecoding(bool to_bytes) {
  return {CostOfArgument(0).run, [to_bytes](std::span<const SizeRange> sizes) -> CallEstimate {
            CallEstimate estimate = CostOfArgument(0).estimate(sizes);
            estimate.result = to_bytes ? SizeRange{sizes[0].min, MultiplyCost(sizes[0].max, 4)}
                                       : SizeRange{sizes[0].min / 4, sizes[0].max};
            return estimate;
          }};
}

void DeclareNumberConversions(Environment& environment) {
  const TypePtr to_int = Type::Int();
  Declare(environment, "int",
          {From("int64_to_int64", Type::Int(), to_int, SameValue),
           From("uint64_to_int64", Type::Uint(), to_int, UintToInt),
           From("double_to_int64", Type::Double(), to_int, DoubleToInt),
           From("string_to_int64", Type::String(), to_int, StringToInt),
           From("timestamp_to_int64", Type::Timestamp(), to_int, TimestampToInt),
           From("duration_to_int64", Type::Duration(), to_int, DurationToInt)});
  const TypePtr to_uint = Type::Uint();
  Declare(environment, "uint",
          {From("uint64_to_uint64", Type::Uint(), to_uint, SameValue),
           From("int64_to_uint64", Type::Int(), to_uint, IntToUint),
           From("double_to_uint64", Type::Double(), to_uint, DoubleToUint),
           From("string_to_uint64", Type::String(), to_uint, StringToUint)});
  const TypePtr to_double = Type::Double();
  Declare(environment, "double",
          {From("double_to_double", Type::Double(), to_double, SameValue),
           From("int64_to_double", Type::Int(), to_double, IntToDouble),
           From("uint64_to_double", Type::Uint(), to_double, UintToDouble),
           From("string_to_double", Type::String(), to_double, StringToDouble)});
}

void DeclareTextConversions(Environment& environment) {
  const TypePtr text = Type::String();
  Declare(
      environment, "string",
      {From("string_to_string", Type::String(), text, SameValue),
       From("bool_to_string", Type::Bool(), text, BoolToString),
       From("int64_to_string", Type::Int(), text, IntToString),
       From("uint64_to_string", Type::Uint(), text, UintToString),
       From("double_to_string", Type::Double(), text, DoubleToString),
       WithCost(From("bytes_to_string", Type::Bytes(), text, BytesToString), CostOfRecoding(false)),
       From("timestamp_to_string", Type::Timestamp(), text, TimestampToString),
       From("duration_to_string", Type::Duration(), text, DurationToString)});
  Declare(environment, "bytes",
          {From("bytes_to_bytes", Type::Bytes(), Type::Bytes(), SameValue),
           WithCost(From("string_to_bytes", text, Type::Bytes(), StringToBytes),
                    CostOfRecoding(true))});
}

}  // namespace

void AddConversionFunctions(Environment& environment) {
  DeclareNumberConversions(environment);
  DeclareTextConversions(environment);
  Declare(environment, "bool",
          {From("bool_to_bool", Type::Bool(), Type::Bool(), SameValue),
           From("string_to_bool", Type::String(), Type::Bool(), StringToBool)});
  const TypePtr time = Type::Timestamp();
  Declare(environment, "timestamp",
          {From("timestamp_to_timestamp", time, time, SameValue),
           From("string_to_timestamp", Type::String(), time, StringToTimestamp),
           From("int64_to_timestamp", Type::Int(), time, IntToTimestamp)});
  const TypePtr span = Type::Duration();
  Declare(environment, "duration",
          {From("duration_to_duration", span, span, SameValue),
           From("string_to_duration", Type::String(), span, StringToDuration),
           From("int64_to_duration", Type::Int(), span, IntToDuration)});
  const TypePtr any = Type::Param("A");
  Declare(environment, "dyn", {From("to_dyn", any, Type::Dyn(), SameValue)});
  Declare(environment, "type", {From("type", any, Type::TypeOf(any), TypeOfValue)});
}

}  // namespace bth::cel
