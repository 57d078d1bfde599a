#include "cel/eval/literals.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

bool IsKeyKind(ValueKind kind) {
  return kind == ValueKind::kBool || kind == ValueKind::kInt || kind == ValueKind::kUint ||
         kind == ValueKind::kString;
}

}  // namespace

void MapMaker::Add(Value key, Value value) {
  if (failed()) return;
  if (!IsKeyKind(key.kind())) {
    error_ = Value::Error(StrCat("unsupported key type: ", key.type()->RuntimeName()));
    return;
  }
  depth_ = std::max(depth_, value.depth());
  const Value kept = key;
  if (map_->Insert(std::move(key), std::move(value))) return;
  const std::string text = KeyText(kept);
  error_ = Value::Error(is_inserting_ ? StrCat("insert failed: key ", text, " already exists")
                                      : StrCat("Failed with repeated key: ", text));
}

void MapMaker::AddAll(const MapView& map) {
  for (size_t i = 0; i < map.size() && !failed(); ++i) Add(map.KeyAt(i), map.ValueAt(i));
}

Value MapMaker::Take() && {
  if (failed()) return std::move(error_);
  return Value::Of(std::shared_ptr<const MapView>(std::move(map_)), depth_ + 1);
}

std::optional<Value> MadeObject::Field(std::string_view name) const {
  const auto found = fields_.find(name);
  if (found == fields_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> MadeObject::SetFields() const {
  std::vector<std::string> names;
  for (const auto& field : fields_) names.push_back(field.first);
  return names;
}

std::optional<Value> ConstantSet(const Value& list) {
  auto set = std::make_shared<VectorMap>();
  bool has_keys_alone = true;
  for (size_t i = 0; i < list.AsList().size(); ++i) {
    Value member = list.AsList().at(i);
    if (!IsKeyKind(member.kind()) && !member.is(ValueKind::kDouble)) return std::nullopt;
    has_keys_alone = has_keys_alone && ToMapKey(member).has_value();
    set->Insert(std::move(member), Value::Null());
  }
  if (!has_keys_alone) return list;
  return Value::Of(std::shared_ptr<const MapView>(std::move(set)), 1);
}

}  // namespace bth::cel
