// A small map with string keys, kept as one sorted vector: compact, ordered, cheap to compare.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/types/quantity.h"

namespace bth::types {

// Lookup costs O(log n), Set O(n): meant for labels and resource lists of up to some dozen entries.
template <class Value>
class SortedMap {
 public:
  using Entry = std::pair<std::string, Value>;
  using const_iterator = typename std::vector<Entry>::const_iterator;

  SortedMap() = default;
  SortedMap(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) Set(entry.first, entry.second);
  }

  const Value* Find(std::string_view key) const {
    const auto it = std::lower_bound(entries_.begin(), entries_.end(), key, KeyLess);
    return it != entries_.end() && it->first == key ? &it->second : nullptr;
  }
  Value* Find(std::string_view key) {
    return const_cast<Value*>(static_cast<const SortedMap*>(this)->Find(key));
  }
  bool Contains(std::string_view key) const { return Find(key) != nullptr; }
  // The value, created when absent.
  Value& operator[](std::string_view key) {
    const auto it = std::lower_bound(entries_.begin(), entries_.end(), key, KeyLess);
    if (it != entries_.end() && it->first == key) return it->second;
    return entries_.emplace(it, std::string(key), Value())->second;
  }
  void Set(std::string_view key, Value value) { (*this)[key] = std::move(value); }
  // True if it was there.
  bool Erase(std::string_view key) {
    const auto it = std::lower_bound(entries_.begin(), entries_.end(), key, KeyLess);
    if (it == entries_.end() || it->first != key) return false;
    entries_.erase(it);
    return true;
  }

  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }

  // For bulk loading: appends without order; Sort must follow before any lookup.
  Value& Append(std::string_view key) {
    return entries_.emplace_back(std::string(key), Value()).second;
  }
  // Orders by key; of equal keys the last appended stays.
  void Sort() {
    const auto less = [](const Entry& a, const Entry& b) { return a.first < b.first; };
    const auto not_less = [](const Entry& a, const Entry& b) { return !(a.first < b.first); };
    if (std::adjacent_find(entries_.begin(), entries_.end(), not_less) == entries_.end()) return;
    std::stable_sort(entries_.begin(), entries_.end(), less);
    size_t kept = 0;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (i + 1 < entries_.size() && entries_[i].first == entries_[i + 1].first) continue;
      if (kept != i) entries_[kept] = std::move(entries_[i]);
      ++kept;
    }
    entries_.resize(kept);
  }

  friend bool operator==(const SortedMap& a, const SortedMap& b) {
    return a.entries_ == b.entries_;
  }

 private:
  static bool KeyLess(const Entry& entry, std::string_view key) { return entry.first < key; }

  std::vector<Entry> entries_;
};

using LabelMap = SortedMap<std::string>;
using ResourceList = SortedMap<Quantity>;

}  // namespace bth::types
