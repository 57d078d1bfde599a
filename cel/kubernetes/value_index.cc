#include "cel/kubernetes/value_index.h"

#include <algorithm>

#include "base/strings.h"

namespace bth::cel {
namespace {

// How much of a container the key looks at.
constexpr int kKeyDepth = 3;
constexpr size_t kKeyItems = 8;

void AppendKey(const Value& value, int depth, std::string* key) {
  switch (value.kind()) {
    // Numbers are equal across their types; what no longer fits a double is looked at afterwards.
    case ValueKind::kInt:
      StrAppend(key, "n", static_cast<double>(value.AsInt()), ";");
      return;
    case ValueKind::kUint:
      StrAppend(key, "n", static_cast<double>(value.AsUint()), ";");
      return;
    case ValueKind::kDouble:
      // The two zeros are equal.
      StrAppend(key, "n", value.AsDouble() == 0 ? 0.0 : value.AsDouble(), ";");
      return;
    case ValueKind::kString:
      StrAppend(key, "s", value.AsString().size(), ":", value.AsString());
      return;
    case ValueKind::kBytes:
      StrAppend(key, "b", value.AsBytes().size(), ":", value.AsBytes());
      return;
    case ValueKind::kList: {
      const ListView& list = value.AsList();
      StrAppend(key, "l", list.size(), "[");
      for (size_t i = 0; depth > 0 && i < std::min(list.size(), kKeyItems); ++i) {
        AppendKey(list.at(i), depth - 1, key);
      }
      return;
    }
    case ValueKind::kMap:
      StrAppend(key, "m", value.AsMap().size(), ";");
      return;
    case ValueKind::kBool:
      StrAppend(key, value.AsBool() ? "t" : "f");
      return;
    case ValueKind::kDuration:
      StrAppend(key, "d", value.AsDuration().nanos, ";");
      return;
    case ValueKind::kTimestamp:
      StrAppend(key, "T", value.AsTimestamp().seconds, ";");
      return;
    default:
      StrAppend(key, "k", static_cast<int>(value.kind()), ";");
  }
}

std::string KeyOf(const Value& value) {
  std::string key;
  AppendKey(value, kKeyDepth, &key);
  return key;
}

bool AreEqual(const Value& a, const Value& b) {
  const Value equal = Equal(a, b);
  return equal.is(ValueKind::kBool) && equal.AsBool();
}

bool HasEqual(const std::vector<Value>& values, const Value& value) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& other) { return AreEqual(other, value); });
}

}  // namespace

bool ValueIndex::Add(const Value& value) {
  std::vector<Value>& values = by_key_[KeyOf(value)];
  if (HasEqual(values, value)) return false;
  values.push_back(value);
  return true;
}

bool ValueIndex::Contains(const Value& value) const {
  const auto it = by_key_.find(KeyOf(value));
  return it != by_key_.end() && HasEqual(it->second, value);
}

}  // namespace bth::cel
