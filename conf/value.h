// A value read from YAML: an immutable little tree that remembers its lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace bth::conf {

struct YamlLimits {
  size_t bytes_max = size_t{256} << 10;
  int depth_max = 32;
  // Values in the tree after aliases are expanded, and bytes of their texts.
  size_t values_max = 20'000;
  size_t text_bytes_max = size_t{1} << 20;
};

// Scalars are typed as a YAML 1.1 reader types them: `on`, `yes`, `y` and their like are booleans,
// 010, 0x1f, 0b11 and 1_000 are integers, quoted scalars are strings, dates stay strings. An
// integer beyond int64 is a double. Equality ignores lines.
class Value {
 public:
  struct Member;
  using List = std::vector<Value>;
  using Map = std::vector<Member>;  // In the order written; keys are unique.
  enum class Kind { kNull, kBool, kInt, kDouble, kString, kList, kMap };

  Value() = default;  // Null.
  static Value MakeBool(bool value, std::string text);
  static Value MakeInt(int64_t value, std::string text);
  static Value MakeDouble(double value, std::string text);
  static Value MakeString(std::string text);
  static Value MakeNull(std::string text = {});
  static Value MakeList(List items);
  static Value MakeMap(Map members);

  Kind kind() const { return kind_; }
  // "null", "boolean", "integer", "decimal number", "string", "list", "map".
  std::string_view KindName() const;
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_int() const { return kind_ == Kind::kInt; }
  bool is_double() const { return kind_ == Kind::kDouble; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_list() const { return kind_ == Kind::kList; }
  bool is_map() const { return kind_ == Kind::kMap; }
  bool is_scalar() const { return !is_list() && !is_map(); }

  // Zero, false or empty for other kinds.
  bool AsBool() const { return is_bool() && number_.boolean; }
  int64_t AsInt() const { return is_int() ? number_.integer : 0; }
  double AsDouble() const;  // Integers too.
  // The scalar as it was written, of every kind of scalar.
  const std::string& text() const { return text_; }
  const List& items() const { return items_; }
  const Map& members() const { return members_; }
  // The member with this key, or null. Cost: linear; maps here are short.
  const Value* Find(std::string_view key) const;
  // The member with this key, else the first whose key differs from it in case alone, or null: for
  // what the reference decodes into fields of a struct.
  const Member* FindField(std::string_view key) const;
  // True when some key was not a string in YAML terms, such as 80 or `on`.
  bool has_non_string_key() const;

  // From 1; 0 when not from a file.
  int line() const { return line_; }
  void set_line(int line) { line_ = line; }

  friend bool operator==(const Value& a, const Value& b);

 private:
  union Number {
    bool boolean;
    int64_t integer = 0;
    double real;
  };
  Kind kind_ = Kind::kNull;
  Number number_;
  int line_ = 0;
  std::string text_;
  List items_;
  Map members_;
};

struct Value::Member {
  std::string key;
  Value value;
  int line = 0;
  bool string_key = true;

  friend bool operator==(const Member& a, const Member& b) {
    return a.key == b.key && a.value == b.value;
  }
};

// A key given twice in one map; the last value counts.
struct DuplicateKey {
  std::string path;    // With the key, such as `tiers[0].plugins[1].name`.
  int line = 0;        // Of the second one.
  int first_line = 0;  // Of the first one.
};

struct YamlDocument {
  Value root;
  std::vector<DuplicateKey> duplicates;  // At most kDuplicatesMax.
};
inline constexpr size_t kDuplicatesMax = 64;

// Reads one document; empty text is a null root. kInvalidArgument with the line for syntax errors,
// for more than one document and for anything beyond `limits`. Merge keys (`<<`) are applied.
absl::StatusOr<YamlDocument> ParseYaml(std::string_view text, const YamlLimits& limits = {});

// The tree as YAML in block style that reads back equal. Strings that could be taken for something
// else are quoted.
std::string ToYaml(const Value& value);
// One scalar string as YAML, quoted when necessary.
std::string QuoteYaml(std::string_view text);
// What an unquoted scalar means.
Value ResolvePlainScalar(std::string text);

}  // namespace bth::conf
