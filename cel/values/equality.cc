// Equality and order of values.
#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/values/containers.h"
#include "cel/values/keyed_lists.h"
#include "cel/values/value.h"
#include "cel/values/work.h"

namespace bth::cel {
namespace {

// A block of text is one step of work, as a member is.
constexpr uint64_t kComparedBlock = 64;

bool IsNumber(ValueKind kind) {
  return kind == ValueKind::kInt || kind == ValueKind::kUint || kind == ValueKind::kDouble;
}

template <typename T>
int OrderOf(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int CompareIntUint(int64_t a, uint64_t b) {
  return a < 0 ? -1 : OrderOf(static_cast<uint64_t>(a), b);
}

// As the language's public cases have it: what lies within the range of the whole numbers is
// compared as doubles, so that a number beyond 2^53 may equal a double next to it.
std::optional<int> CompareIntDouble(int64_t a, double b) {
  if (std::isnan(b)) return std::nullopt;
  if (b > 0x1p63) return -1;
  if (b < -0x1p63) return 1;
  return OrderOf(static_cast<double>(a), b);
}

std::optional<int> CompareUintDouble(uint64_t a, double b) {
  if (std::isnan(b)) return std::nullopt;
  if (b > 0x1p64) return -1;
  if (b < 0) return 1;
  return OrderOf(static_cast<double>(a), b);
}

std::optional<int> Reversed(std::optional<int> order) {
  if (!order) return std::nullopt;
  return -*order;
}

std::optional<int> CompareNumbers(const Value& a, const Value& b) {
  if (a.is(ValueKind::kInt)) {
    if (b.is(ValueKind::kInt)) return OrderOf(a.AsInt(), b.AsInt());
    if (b.is(ValueKind::kUint)) return CompareIntUint(a.AsInt(), b.AsUint());
    return CompareIntDouble(a.AsInt(), b.AsDouble());
  }
  if (a.is(ValueKind::kUint)) {
    if (b.is(ValueKind::kUint)) return OrderOf(a.AsUint(), b.AsUint());
    if (b.is(ValueKind::kInt)) return -CompareIntUint(b.AsInt(), a.AsUint());
    return CompareUintDouble(a.AsUint(), b.AsDouble());
  }
  if (b.is(ValueKind::kInt)) return Reversed(CompareIntDouble(b.AsInt(), a.AsDouble()));
  if (b.is(ValueKind::kUint)) return Reversed(CompareUintDouble(b.AsUint(), a.AsDouble()));
  if (std::isnan(a.AsDouble()) || std::isnan(b.AsDouble())) return std::nullopt;
  return OrderOf(a.AsDouble(), b.AsDouble());
}

// Compares two values, members within members by recursion: kValueDepthMax deep.
class Comparison final {
 public:
  explicit Comparison(Work& work) : work_(work) {}

  Value Equals(const Value& a, const Value& b) {
    if (a.is_error()) return a;
    if (b.is_error()) return b;
    if (!work_.Spend(1)) return TooMuch();
    if (IsNumber(a.kind()) && IsNumber(b.kind())) {
      return Value::Bool(CompareNumbers(a, b) == std::optional<int>(0));
    }
    if (a.kind() != b.kind()) return Value::Bool(false);
    switch (a.kind()) {
      case ValueKind::kNull:
        return Value::Bool(true);
      case ValueKind::kBool:
        return Value::Bool(a.AsBool() == b.AsBool());
      case ValueKind::kString:
        return TextsEqual(a.AsString(), b.AsString());
      case ValueKind::kBytes:
        return TextsEqual(a.AsBytes(), b.AsBytes());
      case ValueKind::kDuration:
        return Value::Bool(a.AsDuration() == b.AsDuration());
      case ValueKind::kTimestamp:
        return Value::Bool(a.AsTimestamp() == b.AsTimestamp());
      case ValueKind::kList:
        return ListsEqual(a.AsList(), b.AsList());
      case ValueKind::kMap:
        return MapsEqual(a.AsMap(), b.AsMap());
      case ValueKind::kObject:
        return ObjectsEqual(a.AsObject(), b.AsObject());
      case ValueKind::kType:
        return Value::Bool(a.AsType()->RuntimeName() == b.AsType()->RuntimeName());
      case ValueKind::kOptional:
        return OptionalsEqual(a.AsOptional(), b.AsOptional());
      case ValueKind::kOpaque:
        return Value::Bool(a.AsOpaque().type()->name() == b.AsOpaque().type()->name() &&
                           a.AsOpaque().Equals(b.AsOpaque()));
      default:
        return Value::Bool(false);
    }
  }

 private:
  static Value TooMuch() { return Value::Error("values too large to be compared"); }
  static bool IsFalse(const Value& value) { return value.is(ValueKind::kBool) && !value.AsBool(); }

  Value TextsEqual(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return Value::Bool(false);
    if (!work_.Spend(a.size() / kComparedBlock)) return TooMuch();
    return Value::Bool(a == b);
  }

  // One member's answer: false decides at once, an error only if none is false.
  static bool Decides(Value member, Value* answer) {
    if (IsFalse(member)) {
      *answer = member;
      return true;
    }
    if (member.is_error() && !answer->is_error()) *answer = std::move(member);
    return false;
  }

  Value ListsEqual(const ListView& a, const ListView& b) {
    if (a.size() != b.size()) return Value::Bool(false);
    if (const auto keys = a.keys()) return KeyedListsEqual(a, *keys, b);
    Value answer = Value::Bool(true);
    for (size_t i = 0; i < a.size(); ++i) {
      if (Decides(Equals(a.at(i), b.at(i)), &answer)) break;
      if (work_.is_spent()) return TooMuch();
    }
    return answer;
  }

  // Lists of one size: each element of `b` has its like in `a`.
  Value KeyedListsEqual(const ListView& a, const ListKeys& keys, const ListView& b) {
    const KeyedElements known(keys, a);
    Value answer = Value::Bool(true);
    for (size_t i = 0; i < b.size(); ++i) {
      if (!work_.Spend(1)) return TooMuch();
      const Value element = b.at(i);
      const std::optional<Value> like = known.Find(element);
      if (!like) return Value::Bool(false);
      if (Decides(Equals(*like, element), &answer)) break;
    }
    return answer;
  }

  Value MapsEqual(const MapView& a, const MapView& b) {
    if (a.size() != b.size()) return Value::Bool(false);
    Value answer = Value::Bool(true);
    for (size_t i = 0; i < a.size(); ++i) {
      const std::optional<Value> other = b.Find(a.KeyAt(i));
      if (!other) return Value::Bool(false);
      if (Decides(Equals(a.ValueAt(i), *other), &answer)) break;
      if (work_.is_spent()) return TooMuch();
    }
    return answer;
  }

  Value ObjectsEqual(const ObjectView& a, const ObjectView& b) {
    if (a.type()->name() != b.type()->name()) return Value::Bool(false);
    const std::vector<std::string> fields = a.SetFields();
    if (fields != b.SetFields()) return Value::Bool(false);
    Value answer = Value::Bool(true);
    for (const std::string& field : fields) {
      const std::optional<Value> mine = a.Field(field);
      const std::optional<Value> other = b.Field(field);
      if (!mine || !other) return Value::Bool(false);
      if (Decides(Equals(*mine, *other), &answer)) break;
      if (work_.is_spent()) return TooMuch();
    }
    return answer;
  }

  Value OptionalsEqual(const Value* a, const Value* b) {
    if (a == nullptr || b == nullptr) return Value::Bool(a == b);
    return Equals(*a, *b);
  }

  Work& work_;
};

}  // namespace

Value ListContains(const ListView& list, const Value& value) {
  Work own;
  Work& work = Work::OfRun(own);
  Comparison comparison(work);
  Value answer = Value::Bool(false);
  for (size_t i = 0; i < list.size(); ++i) {
    Value equal = comparison.Equals(list.at(i), value);
    if (equal.is(ValueKind::kBool) && equal.AsBool()) return equal;
    if (equal.is_error() && !answer.is_error()) answer = std::move(equal);
    if (work.is_spent()) break;
  }
  return answer;
}

Value Equal(const Value& a, const Value& b) {
  Work own;
  return Comparison(Work::OfRun(own)).Equals(a, b);
}

std::optional<int> Compare(const Value& a, const Value& b) {
  if (IsNumber(a.kind()) && IsNumber(b.kind())) return CompareNumbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case ValueKind::kBool:
      return OrderOf(a.AsBool(), b.AsBool());
    case ValueKind::kString:
      return OrderOf(a.AsString(), b.AsString());
    case ValueKind::kBytes:
      return OrderOf(a.AsBytes(), b.AsBytes());
    case ValueKind::kDuration:
      return OrderOf(a.AsDuration(), b.AsDuration());
    case ValueKind::kTimestamp:
      return OrderOf(a.AsTimestamp(), b.AsTimestamp());
    default:
      return std::nullopt;
  }
}

}  // namespace bth::cel
