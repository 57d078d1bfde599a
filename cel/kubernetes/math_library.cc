#include <cmath>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"

namespace bth::cel {
namespace {

// More arguments of math.greatest are given as a list.
constexpr size_t kMathArgumentsMax = 8;

bool IsMathNumber(const Value& value) {
  return value.is(ValueKind::kInt) || value.is(ValueKind::kUint) || value.is(ValueKind::kDouble);
}

// The least (-1) or greatest (1) of the numbers; the first of equal ones.
template <int kSide>
Value ExtremeNumber(size_t count, const std::function<Value(size_t)>& at) {
  static constexpr const char* kName = kSide < 0 ? "math.@min" : "math.@max";
  if (count == 0) return Value::Error(StrCat(kName, "(list) argument must not be empty"));
  Value best = at(0);
  if (!IsMathNumber(best)) return Value::Error(StrCat("no such overload: ", kName));
  for (size_t i = 1; i < count; ++i) {
    Value item = at(i);
    if (!IsMathNumber(item)) return Value::Error(StrCat("no such overload: ", kName));
    if (Compare(item, best) == kSide) best = std::move(item);
  }
  return best;
}

template <int kSide>
Value ExtremeArgument(Arguments args) {
  return ExtremeNumber<kSide>(args.size(), [args](size_t i) { return args[i]; });
}

template <int kSide>
Value ExtremeElement(Arguments args) {
  const ListView& list = args[0].AsList();
  return ExtremeNumber<kSide>(list.size(), [&list](size_t i) { return list.at(i); });
}

template <int kSide>
Function ExtremeFunction(const char* name, const char* short_name) {
  Function function{name, {}};
  const TypePtr numbers[] = {Type::Int(), Type::Uint(), Type::Double()};
  for (const TypePtr& type : numbers) {
    function.overloads.push_back(GlobalCall(StrCat("math_", short_name, "_list_", type->ToString()),
                                            {Type::List(type)}, type, ExtremeElement<kSide>));
    for (size_t count = 1; count <= kMathArgumentsMax; ++count) {
      function.overloads.push_back(
          GlobalCall(StrCat("math_", short_name, "_", type->ToString(), "_", count),
                     std::vector<TypePtr>(count, type), type, ExtremeArgument<kSide>));
    }
  }
  return function;
}

Overload OfReal(const char* id, double (*get)(double)) {
  return GlobalCall(id, {Type::Double()}, Type::Double(),
                    [get](Arguments args) { return Value::Double(get(args[0].AsDouble())); });
}

Overload TestReal(const char* id, bool (*test)(double)) {
  return GlobalCall(id, {Type::Double()}, Type::Bool(),
                    [test](Arguments args) { return Value::Bool(test(args[0].AsDouble())); });
}

std::vector<Function> RealFunctions() {
  const auto root = [](const char* id, const TypePtr& type, double (*get)(const Value&)) {
    return GlobalCall(id, {type}, Type::Double(),
                      [get](Arguments args) { return Value::Double(std::sqrt(get(args[0]))); });
  };
  return {
      {"math.ceil", {OfReal("math_ceil_double", [](double x) { return std::ceil(x); })}},
      {"math.floor", {OfReal("math_floor_double", [](double x) { return std::floor(x); })}},
      {"math.round", {OfReal("math_round_double", [](double x) { return std::round(x); })}},
      {"math.trunc", {OfReal("math_trunc_double", [](double x) { return std::trunc(x); })}},
      {"math.isInf", {TestReal("math_isInf_double", [](double x) { return std::isinf(x); })}},
      {"math.isNaN", {TestReal("math_isNaN_double", [](double x) { return std::isnan(x); })}},
      {"math.isFinite",
       {TestReal("math_isFinite_double", [](double x) { return std::isfinite(x); })}},
      {"math.sqrt",
       {root("math_sqrt_double", Type::Double(), [](const Value& x) { return x.AsDouble(); }),
        root("math_sqrt_int", Type::Int(),
             [](const Value& x) { return static_cast<double>(x.AsInt()); }),
        root("math_sqrt_uint", Type::Uint(),
             [](const Value& x) { return static_cast<double>(x.AsUint()); })}},
  };
}

Value AbsoluteInt(Arguments args) {
  const int64_t x = args[0].AsInt();
  if (x == std::numeric_limits<int64_t>::min()) return Value::Error("integer overflow");
  return Value::Int(x < 0 ? -x : x);
}

std::vector<Function> SignFunctions() {
  const TypePtr whole = Type::Int(), natural = Type::Uint();
  return {
      {"math.abs",
       {OfReal("math_abs_double", [](double x) { return std::abs(x); }),
        GlobalCall("math_abs_int", {whole}, whole, AbsoluteInt),
        GlobalCall("math_abs_uint", {natural}, natural, [](Arguments args) { return args[0]; })}},
      {"math.sign",
       {OfReal("math_sign_double",
               [](double x) { return std::isnan(x) ? x
                                     : x < 0       ? -1.0
                                     : x > 0       ? 1.0
                                                   : 0.0; }),
        GlobalCall("math_sign_int", {whole}, whole,
                   [](Arguments args) {
                     return Value::Int(args[0].AsInt() < 0 ? -1 : args[0].AsInt() > 0 ? 1 : 0);
                   }),
        GlobalCall("math_sign_uint", {natural}, natural,
                   [](Arguments args) { return Value::Uint(args[0].AsUint() > 0 ? 1 : 0); })}},
  };
}

// An operation on bits, for both kinds of whole numbers.
Function BitFunction(const char* name, uint64_t (*operate)(uint64_t, uint64_t)) {
  const TypePtr whole = Type::Int(), natural = Type::Uint();
  return {StrCat("math.", name),
          {GlobalCall(StrCat("math_", name, "_int_int"), {whole, whole}, whole,
                      [operate](Arguments args) {
                        return Value::Int(
                            static_cast<int64_t>(operate(static_cast<uint64_t>(args[0].AsInt()),
                                                         static_cast<uint64_t>(args[1].AsInt()))));
                      }),
           GlobalCall(StrCat("math_", name, "_uint_uint"), {natural, natural}, natural,
                      [operate](Arguments args) {
                        return Value::Uint(operate(args[0].AsUint(), args[1].AsUint()));
                      })}};
}

// Bits that are moved in are 0.
Function ShiftFunction(const char* name, uint64_t (*shift)(uint64_t, uint64_t)) {
  const TypePtr whole = Type::Int(), natural = Type::Uint();
  const std::string function = StrCat("math.", name);
  const auto moved = [function, shift](const Value& by, uint64_t bits) -> absl::StatusOr<uint64_t> {
    if (by.AsInt() < 0) {
      return absl::InvalidArgumentError(StrCat(function, "() negative offset: ", by.AsInt()));
    }
    return by.AsInt() >= 64 ? 0 : shift(bits, static_cast<uint64_t>(by.AsInt()));
  };
  return {function,
          {GlobalCall(StrCat("math_", name, "_int_int"), {whole, whole}, whole,
                      [moved](Arguments args) {
                        return ValueOr(
                            moved(args[1], static_cast<uint64_t>(args[0].AsInt())),
                            [](uint64_t bits) { return Value::Int(static_cast<int64_t>(bits)); });
                      }),
           GlobalCall(StrCat("math_", name, "_uint_int"), {natural, whole}, natural,
                      [moved](Arguments args) {
                        return ValueOr(moved(args[1], args[0].AsUint()),
                                       [](uint64_t bits) { return Value::Uint(bits); });
                      })}};
}

std::vector<Function> BitFunctions() {
  const TypePtr whole = Type::Int(), natural = Type::Uint();
  return {
      BitFunction("bitAnd", [](uint64_t a, uint64_t b) { return a & b; }),
      BitFunction("bitOr", [](uint64_t a, uint64_t b) { return a | b; }),
      BitFunction("bitXor", [](uint64_t a, uint64_t b) { return a ^ b; }),
      ShiftFunction("bitShiftLeft", [](uint64_t a, uint64_t b) { return a << b; }),
      ShiftFunction("bitShiftRight", [](uint64_t a, uint64_t b) { return a >> b; }),
      {"math.bitNot",
       {GlobalCall("math_bitNot_int_int", {whole}, whole,
                   [](Arguments args) { return Value::Int(~args[0].AsInt()); }),
        GlobalCall("math_bitNot_uint_uint", {natural}, natural,
                   [](Arguments args) { return Value::Uint(~args[0].AsUint()); })}},
  };
}

}  // namespace

absl::Status AddMathLibrary(Environment& environment) {
  std::vector<Function> all = {ExtremeFunction<-1>("math.least", "@min"),
                               ExtremeFunction<1>("math.greatest", "@max")};
  for (auto* part : {RealFunctions, SignFunctions, BitFunctions}) {
    for (Function& function : part()) all.push_back(std::move(function));
  }
  return AddAll(environment, std::move(all));
}

}  // namespace bth::cel
