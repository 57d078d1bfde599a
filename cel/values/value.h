// What an expression computes with. A Value is five words: a tag, what fits in place, and a shared
// part; containers, texts and opaque values are shared and immutable. Any thread, as long as what
// it views lives.
//
// Errors are values, since && and || may let them pass. Containers are views: a list, map or object
// of the outside (a JSON document) makes its members when they are asked for.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cel/types/type.h"

namespace bth::cel {

class Value;

enum class ValueKind : uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kList,
  kMap,
  kObject,
  kType,
  kOptional,
  kOpaque,
};

// Exact to a nanosecond. Range of durations: that of int64 nanoseconds, as in cel-go.
struct Duration {
  int64_t nanos = 0;
  friend auto operator<=>(const Duration&, const Duration&) = default;
};
// Since 1970-01-01T00:00:00Z; from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z.
struct Timestamp {
  int64_t seconds = 0;
  int32_t nanos = 0;  // 0 to 999,999,999.
  // East of UTC, as it was written: shown by its text, no part of what it is.
  int16_t offset_minutes = 0;
  friend bool operator==(const Timestamp& a, const Timestamp& b) {
    return a.seconds == b.seconds && a.nanos == b.nanos;
  }
  friend std::strong_ordering operator<=>(const Timestamp& a, const Timestamp& b) {
    return a.seconds != b.seconds ? a.seconds <=> b.seconds : a.nanos <=> b.nanos;
  }
};

// What tells the elements of a list apart whose order says nothing, as x-kubernetes-list-type has
// it.
struct ListKeys {
  std::vector<std::string> fields;  // Of list maps, by which elements are found; none: a set.
};
class ListView {
 public:
  virtual ~ListView() = default;
  virtual size_t size() const = 0;
  virtual Value at(size_t index) const = 0;  // index < size()
  // Null: the order counts. Else == does not see it and + merges, where this list is on the left.
  virtual std::shared_ptr<const ListKeys> keys() const { return nullptr; }
};
class MapView {
 public:
  virtual ~MapView() = default;
  virtual size_t size() const = 0;
  // Nothing: no such key. Numeric keys are found across int, uint and double.
  virtual std::optional<Value> Find(const Value& key) const = 0;
  // key in map; another answer than Find's where keys that are not there have a value all the same.
  virtual bool Contains(const Value& key) const;
  // In a fixed order: comprehensions follow it.
  virtual Value KeyAt(size_t index) const = 0;
  virtual Value ValueAt(size_t index) const = 0;
};
class ObjectView {
 public:
  virtual ~ObjectView() = default;
  virtual const TypePtr& type() const = 0;
  // Nothing: the field is declared and unset, or not declared (FieldType tells).
  virtual std::optional<Value> Field(std::string_view name) const = 0;
  // Names of set fields, sorted.
  virtual std::vector<std::string> SetFields() const = 0;
};
// A value of a library's type.
class OpaqueValue {
 public:
  virtual ~OpaqueValue() = default;
  virtual const TypePtr& type() const = 0;
  virtual bool Equals(const OpaqueValue& other) const = 0;  // Of the same type.
  virtual std::string DebugText() const = 0;
  // What it is in JSON. Nothing: it has no form there.
  virtual std::optional<std::string> JsonText() const { return std::nullopt; }
};

// Containers nest at most this deep: a list, map or optional that would be deeper comes out as an
// error, so that whatever walks a value may do so by recursion.
inline constexpr int kValueDepthMax = 400;
// How deep views of the outside count.
inline constexpr int kViewDepth = 64;

class Value {
 public:
  Value() = default;  // null
  static Value Null() { return Value(); }
  static Value Bool(bool value);
  static Value Int(int64_t value);
  static Value Uint(uint64_t value);
  static Value Double(double value);
  static Value String(std::string value);
  // Text that lives as long as the value and all that is made of it.
  static Value StringView(std::string_view value);
  static Value Bytes(std::string value);
  static Value Of(Duration value);
  static Value Of(Timestamp value);
  static Value List(std::vector<Value> items);
  static Value Of(std::shared_ptr<const ListView> list, int depth = kViewDepth);
  // Keys: bool, int, uint, string; the caller has seen to their being different.
  static Value Map(std::vector<std::pair<Value, Value>> entries);
  static Value Of(std::shared_ptr<const MapView> map, int depth = kViewDepth);
  static Value Of(std::shared_ptr<const ObjectView> object);
  static Value Of(TypePtr type);
  static Value OptionalOf(Value value);
  static Value OptionalNone();
  static Value Of(std::shared_ptr<const OpaqueValue> value);
  static Value Error(std::string message);

  ValueKind kind() const { return kind_; }
  bool is_error() const { return kind_ == ValueKind::kError; }
  bool is(ValueKind kind) const { return kind_ == kind; }

  // Each requires its kind.
  bool AsBool() const;
  int64_t AsInt() const;
  uint64_t AsUint() const;
  double AsDouble() const;
  std::string_view AsString() const;  // Also the text of an error.
  std::string_view AsBytes() const;
  Duration AsDuration() const;
  Timestamp AsTimestamp() const;
  const ListView& AsList() const;
  std::shared_ptr<const ListView> list() const;
  const MapView& AsMap() const;
  const ObjectView& AsObject() const;
  const TypePtr& AsType() const;
  // Null: optional.none().
  const Value* AsOptional() const;
  const OpaqueValue& AsOpaque() const;
  const std::shared_ptr<const OpaqueValue>& opaque() const;

  // Its type as type(x) shows it.
  TypePtr type() const;
  // For messages and tests: [1, 2u, "a", {"k": 1.0}]. Cut where it grows beyond reading.
  std::string DebugText() const;
  // Levels of containers, at most kValueDepthMax; 0: not a container.
  int depth() const;

 private:
  struct TimestampRest {
    int32_t nanos;
    int16_t offset_minutes;
  };
  ValueKind kind_ = ValueKind::kNull;
  union Small {
    bool boolean;
    int64_t integer;
    uint64_t natural;
    double real;
    TimestampRest rest;
    size_t length;
    int depth;
  } small_ = {.integer = 0};
  union Rest {
    int64_t seconds;   // Of a timestamp.
    const char* text;  // Of strings and bytes.
  } rest_ = {.seconds = 0};
  // A string, a view, or a pointer to a shared pointer where accessors give one out.
  std::shared_ptr<const void> shared_;
};

// Equality of the language: numbers across types, containers by elements, other kinds false. NaN is
// not equal to itself. An error within a container comes out as an error.
Value Equal(const Value& a, const Value& b);
// <0, 0, >0; nothing: not comparable (NaN, other kinds). Numbers of different types
// compare as doubles where one of them is.
std::optional<int> Compare(const Value& a, const Value& b);

}  // namespace bth::cel
