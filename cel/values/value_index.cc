#include "cel/values/value_index.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/strings.h"
#include "cel/values/work.h"

namespace bth::cel {
namespace {

// How much of a container the key looks at.
constexpr int kKeyDepth = 3;
constexpr size_t kKeyItems = 8;
// What making and looking up a key takes, in steps of work: these and one for so many bytes.
constexpr uint64_t kKeySteps = 4;
constexpr uint64_t kKeyBlock = 8;

// Its bits: fewer digits would make one key of many numbers. The two zeros are equal.
void AppendNumber(double number, std::string* key) {
  StrAppend(key, "n", std::bit_cast<uint64_t>(number == 0 ? 0.0 : number), ";");
}

void AppendKey(const Value& value, int depth, std::string* key);

// Entries may come in any order. Of large maps the size alone is looked at.
void AppendMapKey(const MapView& map, int depth, std::string* key) {
  StrAppend(key, "m", map.size(), ";");
  if (depth <= 0 || map.size() > kKeyItems) return;
  std::vector<std::string> entries(map.size());
  for (size_t i = 0; i < map.size(); ++i) {
    AppendKey(map.KeyAt(i), depth - 1, &entries[i]);
    AppendKey(map.ValueAt(i), depth - 1, &entries[i]);
  }
  std::sort(entries.begin(), entries.end());
  for (const std::string& entry : entries) *key += entry;
}

void AppendObjectKey(const ObjectView& object, int depth, std::string* key) {
  const std::vector<std::string> fields = object.SetFields();
  StrAppend(key, "o", fields.size(), ";");
  for (size_t i = 0; depth > 0 && i < std::min(fields.size(), kKeyItems); ++i) {
    StrAppend(key, fields[i], "=");
    AppendKey(object.Field(fields[i]).value_or(Value::Null()), depth - 1, key);
  }
}

void AppendKey(const Value& value, int depth, std::string* key) {
  switch (value.kind()) {
    // Numbers are equal across their types; what no longer fits a double is looked at afterwards.
    case ValueKind::kInt:
      return AppendNumber(static_cast<double>(value.AsInt()), key);
    case ValueKind::kUint:
      return AppendNumber(static_cast<double>(value.AsUint()), key);
    case ValueKind::kDouble:
      return AppendNumber(value.AsDouble(), key);
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
      return AppendMapKey(value.AsMap(), depth, key);
    case ValueKind::kObject:
      return AppendObjectKey(value.AsObject(), depth, key);
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
  AppendIndexText(value, &key);
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

void AppendIndexText(const Value& value, std::string* text) {
  const size_t before = text->size();
  AppendKey(value, kKeyDepth, text);
  Work own;
  Work::OfRun(own).Spend(kKeySteps + (text->size() - before) / kKeyBlock);
}

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
