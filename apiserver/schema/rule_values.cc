#include "apiserver/schema/rule_values.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "cel/values/json_values.h"
#include "re2/re2.h"

namespace bth::apiserver {
namespace {

using cel::Value;
using cel::ValueKind;

class RuleList final : public cel::ListView {
 public:
  RuleList(const Json::Array& items, const DeclaredType& list)
      : items_(items), element_(*list.element), list_(list) {}
  size_t size() const override { return items_.size(); }
  Value at(size_t index) const override { return RuleValue(items_[index], element_); }
  std::shared_ptr<const cel::ListKeys> keys() const override { return list_.keys; }

 private:
  const Json::Array& items_;
  const DeclaredType& element_;
  const DeclaredType& list_;
};

class RuleMap final : public cel::MapView {
 public:
  RuleMap(const Json& object, const DeclaredType& element) : object_(object), element_(element) {}
  size_t size() const override { return object_.size(); }
  std::optional<Value> Find(const Value& key) const override {
    if (!key.is(ValueKind::kString)) return std::nullopt;
    const Json* found = object_.Find(key.AsString());
    if (found == nullptr) return std::nullopt;
    return RuleValue(*found, element_);
  }
  Value KeyAt(size_t index) const override {
    return Value::StringView(object_.members()[index].first);
  }
  Value ValueAt(size_t index) const override {
    return RuleValue(object_.members()[index].second, element_);
  }

 private:
  const Json& object_;
  const DeclaredType& element_;
};

class RuleObject final : public cel::ObjectView {
 public:
  RuleObject(const Json& object, const DeclaredType& type) : object_(object), type_(type) {}
  const cel::TypePtr& type() const override { return type_.type; }
  std::optional<Value> Field(std::string_view name) const override {
    const auto field = type_.fields.find(name);
    if (field == type_.fields.end()) return std::nullopt;
    const Json* found = object_.Find(field->second.property);
    if (found == nullptr || found->is_null()) return std::nullopt;
    return RuleValue(*found, *field->second.type);
  }
  std::vector<std::string> SetFields() const override {
    std::vector<std::string> names;
    for (const auto& [name, field] : type_.fields) {
      if (!object_[field.property].is_null()) names.push_back(name);
    }
    return names;
  }

 private:
  const Json& object_;
  const DeclaredType& type_;
};

// Nanoseconds of a unit in words; 0: none. The last of each row stands for what begins with it too.
int64_t NanosOf(std::string_view unit) {
  struct Row {
    std::string_view words[4];
    int64_t nanos;
  };
  static constexpr Row kRows[] = {
      {{"ns", "nano"}, 1},
      {{"us", "µs", "micro"}, 1'000},
      {{"ms", "milli"}, 1'000'000},
      {{"s", "sec"}, 1'000'000'000},
      {{"m", "min"}, 60'000'000'000},
      {{"h", "hr", "hour"}, 3'600'000'000'000},
      {{"d", "day"}, 86'400'000'000'000},
      {{"w", "wk", "week"}, 604'800'000'000'000},
  };
  for (const Row& row : kRows) {
    std::string_view last;
    for (const std::string_view word : row.words) {
      if (word.empty()) continue;
      if (unit == word) return row.nanos;
      last = word;
    }
    if (unit.starts_with(last)) return row.nanos;
  }
  return 0;
}

// "3 days", which schemas take for a duration beside "72h". Nothing: not of that form, or too long.
std::optional<cel::Duration> WordyDuration(std::string_view text) {
  static const re2::RE2 kPart("(\\d+)\\s*([A-Za-zµ]+)");
  re2::StringPiece rest(text.data(), text.size());
  int64_t count = 0, sum = 0;
  std::string unit;
  bool found = false;
  while (re2::RE2::FindAndConsume(&rest, kPart, &count, &unit)) {
    const int64_t nanos = NanosOf(absl::AsciiStrToLower(unit));
    int64_t part = 0;
    if (__builtin_mul_overflow(count, nanos, &part) || __builtin_add_overflow(sum, part, &sum)) {
      return std::nullopt;
    }
    found |= nanos > 0;
  }
  return found ? std::optional(cel::Duration{sum}) : std::nullopt;
}

}  // namespace

Value RuleValue(const Json& json, const DeclaredType& type) {
  const cel::TypeKind kind = type.type->kind();
  if (kind == cel::TypeKind::kList && json.is_array()) {
    return Value::Of(
        std::shared_ptr<const cel::ListView>(std::make_shared<const RuleList>(json.items(), type)));
  }
  if (kind == cel::TypeKind::kMap && json.is_object()) {
    return Value::Of(
        std::shared_ptr<const cel::MapView>(std::make_shared<const RuleMap>(json, *type.element)));
  }
  if (kind == cel::TypeKind::kObject && json.is_object()) {
    return Value::Of(
        std::shared_ptr<const cel::ObjectView>(std::make_shared<const RuleObject>(json, type)));
  }
  Value value = cel::FromJson(json, type.type);
  if (kind == cel::TypeKind::kDuration && value.is_error() && json.is_string()) {
    if (const auto duration = WordyDuration(json.AsString()); duration.has_value()) {
      return Value::Of(*duration);
    }
  }
  return value;
}

}  // namespace bth::apiserver
