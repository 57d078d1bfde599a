// A JSON value as a plain C++ type, for code that must keep fields it does not know: the embedded
// API server, patches, templates. Code that reads known fields of many objects uses the typed
// structs (api/types/pod.h ...), which parse without building a Json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace bth::types {

struct JsonLimits {
  size_t bytes_max = size_t{16} << 20;
  int depth_max = 64;
};

// Objects keep the order in which keys were added; equality ignores it. Numbers are int64 where
// they fit and have no fraction or exponent, else double.
class Json {
 public:
  using Member = std::pair<std::string, Json>;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(int64_t{value}) {}
  Json(int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  static Json MakeObject(std::initializer_list<Member> members = {}) {
    Json json;
    json.value_ = Object(members);
    return json;
  }
  static Json MakeArray(std::initializer_list<Json> items = {}) { return Json(Array(items)); }

  // Parses one document. Errors (kInvalidArgument) name the byte offset; duplicate keys keep the
  // last value, as Kubernetes does; invalid UTF-8, too deep or too large input is refused.
  static absl::StatusOr<Json> Parse(std::string_view text, JsonLimits limits = {});
  // Compact text, members in their order.
  std::string Dump() const;
  // Indented by two spaces, members sorted by key: stable for people and for tests.
  std::string Pretty() const;
  void DumpTo(std::string* out) const;

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_int() const { return std::holds_alternative<int64_t>(value_); }
  bool is_double() const { return std::holds_alternative<double>(value_); }
  bool is_number() const { return is_int() || is_double(); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  // "null", "boolean", "integer", "number", "string", "array", "object".
  std::string_view TypeName() const;

  // Values with a fallback for other types.
  bool AsBool(bool fallback = false) const;
  int64_t AsInt(int64_t fallback = 0) const;
  double AsDouble(double fallback = 0) const;
  std::string_view AsString(std::string_view fallback = {}) const;
  // Empty for other types.
  const Array& items() const;
  const Object& members() const;
  Array& MutableItems();     // Becomes an empty array if it is something else.
  Object& MutableMembers();  // Becomes an empty object if it is something else.
  size_t size() const;       // Of arrays and objects; else 0.
  bool empty() const { return size() == 0; }

  // Member access. Find: null pointer when absent or not an object.
  const Json* Find(std::string_view key) const;
  Json* Find(std::string_view key);
  // A shared null when absent.
  const Json& operator[](std::string_view key) const;
  const Json& operator[](size_t index) const;
  // Creates the member (and makes *this an object) when absent.
  Json& operator[](std::string_view key);
  void Set(std::string_view key, Json value) { (*this)[key] = std::move(value); }
  // True if it was there.
  bool Erase(std::string_view key);
  // Walks members: At("metadata", "labels", "app").
  const Json& At(std::initializer_list<std::string_view> path) const;
  Json& MutableAt(std::initializer_list<std::string_view> path);

  friend bool operator==(const Json& a, const Json& b);

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
};

}  // namespace bth::types
