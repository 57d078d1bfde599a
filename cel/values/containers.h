// Lists and maps that expressions make.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cel/values/value.h"

namespace bth::cel {

// One more than the deepest of `items`.
int DepthAbove(const std::vector<Value>& items);

class VectorList final : public ListView {
 public:
  explicit VectorList(std::vector<Value> items) : items_(std::move(items)) {}
  size_t size() const override { return items_.size(); }
  Value at(size_t index) const override { return items_[index]; }

 private:
  std::vector<Value> items_;
};

// Lists are at most this long, whatever they are made of.
inline constexpr size_t kListSizeMax = size_t{1} << 22;

// a + b. Both are lists. In O(log n), since cost counts it as one step: the parts are shared, in a
// tree that is kept balanced. Lists with keys are merged instead, in O(n). Errors: longer than
// kListSizeMax.
Value ConcatLists(const Value& a, const Value& b);

// True if a member equals `value`; an error of a comparison only if none does. What it looks at is
// bounded for the whole list.
Value ListContains(const ListView& list, const Value& value);

// A whole key as maps compare it: ints, uints and doubles of one number are one key.
struct MapKey {
  enum class Kind : uint8_t { kBool, kNegative, kNatural, kString } kind;
  uint64_t number = 0;    // Of a negative int: its bits.
  std::string_view text;  // Views the value it was made of.
  friend bool operator==(const MapKey&, const MapKey&) = default;
};
struct MapKeyHash {
  size_t operator()(const MapKey& key) const;
};
// Nothing: no map has such a key (a fraction, a list).
std::optional<MapKey> ToMapKey(const Value& value);

// Entries in the order in which they were given. Few are searched one by one, more by hash.
class VectorMap final : public MapView {
 public:
  VectorMap() = default;
  explicit VectorMap(std::vector<std::pair<Value, Value>> entries);
  size_t size() const override { return entries_.size(); }
  std::optional<Value> Find(const Value& key) const override;
  Value KeyAt(size_t index) const override { return entries_[index].first; }
  Value ValueAt(size_t index) const override { return entries_[index].second; }

  // While it is made. False: the key is there.
  bool Insert(Value key, Value value);

 private:
  static constexpr size_t kScanned = 8;
  const std::pair<Value, Value>* FindEntry(const MapKey& key) const;

  std::vector<std::pair<Value, Value>> entries_;
  // Of more than kScanned entries; the texts view entries_' values, whose text does not move.
  std::unordered_map<MapKey, size_t, MapKeyHash> places_;
};

}  // namespace bth::cel
