#include "cel/values/keyed_lists.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cel/values/containers.h"
#include "cel/values/value_index.h"

namespace bth::cel {
namespace {

class KeyedList final : public ListView {
 public:
  KeyedList(std::vector<Value> items, std::shared_ptr<const ListKeys> keys)
      : items_(std::move(items)), keys_(std::move(keys)) {}
  size_t size() const override { return items_.size(); }
  Value at(size_t index) const override { return items_[index]; }
  std::shared_ptr<const ListKeys> keys() const override { return keys_; }

 private:
  std::vector<Value> items_;
  std::shared_ptr<const ListKeys> keys_;
};

// Null where the element has no such field, or no fields at all.
Value FieldOf(const Value& element, const std::string& field) {
  std::optional<Value> found;
  if (element.is(ValueKind::kObject)) found = element.AsObject().Field(field);
  if (element.is(ValueKind::kMap)) found = element.AsMap().Find(Value::StringView(field));
  return std::move(found).value_or(Value::Null());
}

}  // namespace

KeyedElements::KeyedElements(const ListKeys& keys, const ListView& list)
    : keys_(keys), list_(list) {
  for (size_t i = 0; i < list.size(); ++i) places_[TextOf(list.at(i))].push_back(i);
}

std::string KeyedElements::TextOf(const Value& element) const {
  std::string text;
  if (keys_.fields.empty()) AppendIndexText(element, &text);
  for (const std::string& field : keys_.fields) AppendIndexText(FieldOf(element, field), &text);
  return text;
}

bool KeyedElements::HaveOneKey(const Value& a, const Value& b) const {
  const auto are_equal = [](const Value& x, const Value& y) {
    const Value equal = Equal(x, y);
    return equal.is(ValueKind::kBool) && equal.AsBool();
  };
  if (keys_.fields.empty()) return are_equal(a, b);
  return std::all_of(keys_.fields.begin(), keys_.fields.end(), [&](const std::string& field) {
    return are_equal(FieldOf(a, field), FieldOf(b, field));
  });
}

std::optional<size_t> KeyedElements::PlaceOf(const Value& like) const {
  const auto places = places_.find(TextOf(like));
  if (places == places_.end()) return std::nullopt;
  for (auto place = places->second.rbegin(); place != places->second.rend(); ++place) {
    if (HaveOneKey(list_.at(*place), like)) return *place;
  }
  return std::nullopt;
}

std::optional<Value> KeyedElements::Find(const Value& like) const {
  const std::optional<size_t> place = PlaceOf(like);
  return place ? std::optional(list_.at(*place)) : std::nullopt;
}

Value MergeLists(const Value& a, const Value& b) {
  const ListView& left = a.AsList();
  const ListView& right = b.AsList();
  if (left.size() + right.size() > kListSizeMax) return Value::Error("list too long");
  const std::shared_ptr<const ListKeys> keys = left.keys();
  const bool is_set = keys->fields.empty();
  const KeyedElements known(*keys, left);
  ValueIndex added;
  std::vector<Value> items;
  items.reserve(left.size() + right.size());
  for (size_t i = 0; i < left.size(); ++i) items.push_back(left.at(i));
  for (size_t i = 0; i < right.size(); ++i) {
    Value element = right.at(i);
    if (element.is_error()) return element;
    if (const std::optional<size_t> place = known.PlaceOf(element)) {
      if (!is_set) items[*place] = std::move(element);
    } else if (!is_set || added.Add(element)) {
      items.push_back(std::move(element));
    }
  }
  return Value::Of(std::make_shared<const KeyedList>(std::move(items), keys),
                   std::max(a.depth(), b.depth()));
}

}  // namespace bth::cel
