// What is to be looked at later, each at its time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/time/time.h"

namespace bth {

// Times are monotonic. Whatever is asked or changed costs the logarithm of their number.
// Thread: one.
template <class Key, class Note>
class Timetable {
 public:
  struct Entry {
    absl::Duration at;
    Note note;
  };

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // Null: there is none. Until the next change.
  const Entry* Find(const Key& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }
  // In place of what there was.
  void Set(const Key& key, absl::Duration at, Note note) {
    const auto [entry, fresh] = entries_.try_emplace(key);
    if (!fresh) order_.erase(&*entry);
    entry->second = {at, std::move(note)};
    order_.insert(&*entry);
  }
  void Erase(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    order_.erase(&*found);
    entries_.erase(found);
  }
  // Of the earliest; InfiniteDuration: there is none.
  absl::Duration next() const {
    return order_.empty() ? absl::InfiniteDuration() : (*order_.begin())->second.at;
  }
  // The earliest leaves. There is one.
  Key TakeFirst() {
    Key key = (*order_.begin())->first;
    Erase(key);
    return key;
  }
  // Those whose time has come, in the order of their keys. They are there no more.
  std::vector<Key> Take(absl::Duration now) {
    std::vector<Key> taken;
    while (!empty() && next() <= now) taken.push_back(TakeFirst());
    std::sort(taken.begin(), taken.end());
    return taken;
  }

 private:
  using Map = absl::node_hash_map<Key, Entry>;  // Entries stay where they are.
  using Place = const typename Map::value_type*;
  struct Earlier {
    bool operator()(Place a, Place b) const {
      return std::tie(a->second.at, a->first) < std::tie(b->second.at, b->first);
    }
  };

  Map entries_;
  std::set<Place, Earlier> order_;
};

}  // namespace bth
