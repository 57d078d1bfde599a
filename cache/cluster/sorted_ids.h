// A sorted list of ids, published anew only when it changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"

namespace bth::cache {

// Members are added and removed one by one; Publish brings the list up to date. Cost: each change
// a search, each new list one copy of ids. Thread: one owner.
template <typename Id>
class SortedIds {
 public:
  // Whether `id` is in the list from now on. One that goes and comes back is a new one.
  void Set(Id id, bool member) { Note(id, member ? kMember : kMoved); }
  // The order of `id` among the others may have changed.
  void Move(Id id) {
    states_.EnsureContains(id);
    Note(id, static_cast<uint8_t>((states_[id] & kMember) | kMoved));
  }

  // `less(a, b)` is a strict order of the present members.
  template <typename Less>
  const std::shared_ptr<const std::vector<Id>>& Publish(const Less& less) {
    std::vector<Id> added;
    std::vector<Id> removed;
    for (Id id : changed_) {
      uint8_t& state = states_[id];
      const bool member = (state & kMember) != 0;
      const bool moved = (state & kMoved) != 0;
      if ((state & kListed) != 0 && (!member || moved)) removed.push_back(id);
      if (member && ((state & kListed) == 0 || moved)) added.push_back(id);
      state = member ? kMember | kListed : 0;
    }
    changed_.clear();
    if (list_ != nullptr && added.empty() && removed.empty()) return list_;
    auto next = std::make_shared<std::vector<Id>>();
    next->reserve((list_ == nullptr ? 0 : list_->size()) + added.size());
    if (list_ != nullptr) *next = *list_;
    Remove(removed, *next);
    Insert(added, less, *next);
    list_ = std::move(next);
    return list_;
  }

 private:
  static constexpr uint8_t kMember = 1;
  static constexpr uint8_t kListed = 2;   // In `list_`.
  static constexpr uint8_t kMoved = 4;    // Its place in `list_` may be wrong.
  static constexpr uint8_t kChanged = 8;  // In `changed_`.
  // So many changes are made one by one; more of them in one pass.
  static constexpr size_t kFew = 8;

  void Note(Id id, uint8_t bits) {
    states_.EnsureContains(id);
    uint8_t& state = states_[id];
    if ((state & kChanged) == 0) {
      if ((state & kMember) == (bits & kMember) && bits != (kMember | kMoved)) return;
      changed_.push_back(id);
    }
    state = static_cast<uint8_t>((state & (kListed | kMoved)) | kChanged | bits);
  }

  void Remove(const std::vector<Id>& removed, std::vector<Id>& list) {
    if (removed.size() <= kFew) {
      for (Id id : removed) list.erase(std::find(list.begin(), list.end(), id));
      return;
    }
    for (Id id : removed) states_[id] |= kMoved;
    std::erase_if(list, [this](Id id) { return (states_[id] & kMoved) != 0; });
    for (Id id : removed) states_[id] &= static_cast<uint8_t>(~kMoved);
  }

  template <typename Less>
  static void Insert(std::vector<Id>& added, const Less& less, std::vector<Id>& list) {
    if (added.size() <= kFew) {
      for (Id id : added) {
        list.insert(std::upper_bound(list.begin(), list.end(), id, less), id);
      }
      return;
    }
    std::sort(added.begin(), added.end(), less);
    const auto middle = static_cast<std::ptrdiff_t>(list.size());
    list.insert(list.end(), added.begin(), added.end());
    std::inplace_merge(list.begin(), list.begin() + middle, list.end(), less);
  }

  IdVector<Id, uint8_t> states_;
  std::vector<Id> changed_;
  std::shared_ptr<const std::vector<Id>> list_;
};

}  // namespace bth::cache
