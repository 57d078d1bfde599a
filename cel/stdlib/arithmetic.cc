// + - * / % and the minus sign.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "base/strings.h"
#include "cel/stdlib/overloads.h"
#include "cel/stdlib/standard.h"
#include "cel/syntax/operators.h"
#include "cel/values/containers.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

using ArithmeticArgs = std::span<const Value>;

constexpr int64_t kSecondNanos = 1'000'000'000;
// Texts are at most this long, whatever they are made of.
constexpr size_t kTextBytesMax = size_t{64} << 20;

Value IntOverflow() {
  return Value::Error("integer overflow");
}

Value UintOverflow() {
  return Value::Error("unsigned integer overflow");
}

Value AddInts(ArithmeticArgs args) {
  int64_t sum = 0;
  if (__builtin_add_overflow(args[0].AsInt(), args[1].AsInt(), &sum)) return IntOverflow();
  return Value::Int(sum);
}

Value SubtractInts(ArithmeticArgs args) {
  int64_t difference = 0;
  if (__builtin_sub_overflow(args[0].AsInt(), args[1].AsInt(), &difference)) return IntOverflow();
  return Value::Int(difference);
}

Value MultiplyInts(ArithmeticArgs args) {
  int64_t product = 0;
  if (__builtin_mul_overflow(args[0].AsInt(), args[1].AsInt(), &product)) return IntOverflow();
  return Value::Int(product);
}

// Quotients that are one beyond the largest int.
bool QuotientOverflows(int64_t a, int64_t b) {
  return a == std::numeric_limits<int64_t>::min() && b == -1;
}

Value DivideInts(ArithmeticArgs args) {
  const int64_t a = args[0].AsInt();
  const int64_t b = args[1].AsInt();
  if (b == 0) return Value::Error("division by zero");
  if (QuotientOverflows(a, b)) return IntOverflow();
  return Value::Int(a / b);
}

Value ModuloInts(ArithmeticArgs args) {
  const int64_t a = args[0].AsInt();
  const int64_t b = args[1].AsInt();
  if (b == 0) return Value::Error("modulus by zero");
  if (QuotientOverflows(a, b)) return IntOverflow();
  return Value::Int(a % b);
}

Value NegateInt(ArithmeticArgs args) {
  int64_t negative = 0;
  if (__builtin_sub_overflow(int64_t{0}, args[0].AsInt(), &negative)) return IntOverflow();
  return Value::Int(negative);
}

Value AddUints(ArithmeticArgs args) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(args[0].AsUint(), args[1].AsUint(), &sum)) return UintOverflow();
  return Value::Uint(sum);
}

Value SubtractUints(ArithmeticArgs args) {
  if (args[1].AsUint() > args[0].AsUint()) return UintOverflow();
  return Value::Uint(args[0].AsUint() - args[1].AsUint());
}

Value MultiplyUints(ArithmeticArgs args) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(args[0].AsUint(), args[1].AsUint(), &product)) return UintOverflow();
  return Value::Uint(product);
}

Value DivideUints(ArithmeticArgs args) {
  if (args[1].AsUint() == 0) return Value::Error("division by zero");
  return Value::Uint(args[0].AsUint() / args[1].AsUint());
}

Value ModuloUints(ArithmeticArgs args) {
  if (args[1].AsUint() == 0) return Value::Error("modulus by zero");
  return Value::Uint(args[0].AsUint() % args[1].AsUint());
}

Value AddDoubles(ArithmeticArgs args) {
  return Value::Double(args[0].AsDouble() + args[1].AsDouble());
}

Value SubtractDoubles(ArithmeticArgs args) {
  return Value::Double(args[0].AsDouble() - args[1].AsDouble());
}

Value MultiplyDoubles(ArithmeticArgs args) {
  return Value::Double(args[0].AsDouble() * args[1].AsDouble());
}

Value DivideDoubles(ArithmeticArgs args) {
  const double a = args[0].AsDouble();
  const double b = args[1].AsDouble();
  if (b != 0) return Value::Double(a / b);
  // What IEEE 754 says, which C++ leaves open.
  if (a == 0 || std::isnan(a)) return Value::Double(std::numeric_limits<double>::quiet_NaN());
  const double infinity = std::numeric_limits<double>::infinity();
  return Value::Double(std::signbit(a) == std::signbit(b) ? infinity : -infinity);
}

Value NegateDouble(ArithmeticArgs args) {
  return Value::Double(-args[0].AsDouble());
}

Value AddStrings(ArithmeticArgs args) {
  const std::string_view a = args[0].AsString();
  const std::string_view b = args[1].AsString();
  if (b.empty()) return args[0];
  if (a.empty()) return args[1];
  if (a.size() + b.size() > kTextBytesMax) return Value::Error("string too long");
  return Value::String(StrCat(a, b));
}

Value AddByteStrings(ArithmeticArgs args) {
  const std::string_view a = args[0].AsBytes();
  const std::string_view b = args[1].AsBytes();
  if (a.size() + b.size() > kTextBytesMax) return Value::Error("bytes too long");
  return Value::Bytes(StrCat(a, b));
}

Value AddLists(ArithmeticArgs args) {
  return ConcatLists(args[0], args[1]);
}

Value AddDurations(ArithmeticArgs args) {
  Duration sum;
  if (__builtin_add_overflow(args[0].AsDuration().nanos, args[1].AsDuration().nanos, &sum.nanos)) {
    return IntOverflow();
  }
  return Value::Of(sum);
}

Value SubtractDurations(ArithmeticArgs args) {
  Duration difference;
  if (__builtin_sub_overflow(args[0].AsDuration().nanos, args[1].AsDuration().nanos,
                             &difference.nanos)) {
    return IntOverflow();
  }
  return Value::Of(difference);
}

// Neither sum overflows: both are far from the ends of int64 seconds.
Value LaterBy(Timestamp time, Duration duration) {
  int64_t seconds = time.seconds + duration.nanos / kSecondNanos;
  int64_t nanos = time.nanos + duration.nanos % kSecondNanos;
  if (nanos < 0) {
    nanos += kSecondNanos;
    --seconds;
  } else if (nanos >= kSecondNanos) {
    nanos -= kSecondNanos;
    ++seconds;
  }
  if (seconds < kTimestampMin || seconds > kTimestampMax) {
    return Value::Error("timestamp overflow");
  }
  return Value::Of(Timestamp{seconds, static_cast<int32_t>(nanos), time.offset_minutes});
}

Value AddTimestampDuration(ArithmeticArgs args) {
  return LaterBy(args[0].AsTimestamp(), args[1].AsDuration());
}

Value AddDurationTimestamp(ArithmeticArgs args) {
  return LaterBy(args[1].AsTimestamp(), args[0].AsDuration());
}

Value SubtractTimestampDuration(ArithmeticArgs args) {
  Duration back;
  if (__builtin_sub_overflow(int64_t{0}, args[1].AsDuration().nanos, &back.nanos)) {
    return IntOverflow();
  }
  return LaterBy(args[0].AsTimestamp(), back);
}

Value SubtractTimestamps(ArithmeticArgs args) {
  const Timestamp a = args[0].AsTimestamp();
  const Timestamp b = args[1].AsTimestamp();
  Duration difference;
  if (__builtin_mul_overflow(a.seconds - b.seconds, kSecondNanos, &difference.nanos) ||
      __builtin_add_overflow(difference.nanos, int64_t{a.nanos - b.nanos}, &difference.nanos)) {
    return IntOverflow();
  }
  return Value::Of(difference);
}

CallCost CostOfJoinedLists() {
  CallCost cost = CostOfBoth();
  // One step, as the parts are shared. Lists that are merged are gone through: beyond what rules
  // are written with that is counted, though Kubernetes does not.
  cost.run = [](ArithmeticArgs args, const Value&) -> uint64_t {
    constexpr uint64_t kElementsFree = 100;
    if (args[0].AsList().keys() == nullptr) return 1;
    const uint64_t elements = AddCost(SizeOf(args[0]), SizeOf(args[1]));
    return AddCost(1, ScaleCost(elements - std::min(elements, kElementsFree), kTraversalFactor));
  };
  cost.estimate = [joined = cost.estimate](std::span<const SizeRange> sizes) -> CallEstimate {
    return {.cost = {1, 1}, .result = joined(sizes).result};
  };
  return cost;
}

Overload SameKind(std::string id, const TypePtr& type, Implementation run) {
  return GlobalOverload(std::move(id), {type, type}, type, std::move(run));
}

void DeclareSums(Environment& environment) {
  const TypePtr time = Type::Timestamp();
  const TypePtr span = Type::Duration();
  Declare(
      environment, op::kAdd,
      {WithCost(SameKind("add_bytes", Type::Bytes(), AddByteStrings), CostOfBoth()),
       SameKind("add_double", Type::Double(), AddDoubles),
       SameKind("add_duration_duration", span, AddDurations),
       GlobalOverload("add_duration_timestamp", {span, time}, time, AddDurationTimestamp),
       GlobalOverload("add_timestamp_duration", {time, span}, time, AddTimestampDuration),
       SameKind("add_int64", Type::Int(), AddInts),
       WithCost(SameKind("add_list", Type::List(Type::Param("A")), AddLists), CostOfJoinedLists()),
       WithCost(SameKind("add_string", Type::String(), AddStrings), CostOfBoth()),
       SameKind("add_uint64", Type::Uint(), AddUints)});
  Declare(
      environment, op::kSubtract,
      {SameKind("subtract_double", Type::Double(), SubtractDoubles),
       SameKind("subtract_duration_duration", span, SubtractDurations),
       SameKind("subtract_int64", Type::Int(), SubtractInts),
       GlobalOverload("subtract_timestamp_duration", {time, span}, time, SubtractTimestampDuration),
       GlobalOverload("subtract_timestamp_timestamp", {time, time}, span, SubtractTimestamps),
       SameKind("subtract_uint64", Type::Uint(), SubtractUints)});
}

}  // namespace

void AddArithmeticFunctions(Environment& environment) {
  DeclareSums(environment);
  Declare(environment, op::kMultiply,
          {SameKind("multiply_double", Type::Double(), MultiplyDoubles),
           SameKind("multiply_int64", Type::Int(), MultiplyInts),
           SameKind("multiply_uint64", Type::Uint(), MultiplyUints)});
  Declare(environment, op::kDivide,
          {SameKind("divide_double", Type::Double(), DivideDoubles),
           SameKind("divide_int64", Type::Int(), DivideInts),
           SameKind("divide_uint64", Type::Uint(), DivideUints)});
  Declare(environment, op::kModulo,
          {SameKind("modulo_int64", Type::Int(), ModuloInts),
           SameKind("modulo_uint64", Type::Uint(), ModuloUints)});
  Declare(environment, op::kNegate,
          {GlobalOverload("negate_double", {Type::Double()}, Type::Double(), NegateDouble),
           GlobalOverload("negate_int64", {Type::Int()}, Type::Int(), NegateInt)});
}

}  // namespace bth::cel
