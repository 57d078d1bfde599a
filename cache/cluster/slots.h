// Hands out dense ids and takes them back.
#pragma once

#include <vector>

#include "base/defect.h"

namespace bth::cache {

// A freed id is given out again only after `Recycle`, so that one snapshot never shows two
// objects under one id. Thread: one owner.
template <typename Id>
class Slots {
 public:
  Id Take() {
    if (free_.empty()) return Id::FromIndex(next_++);
    const Id id = free_.back();
    free_.pop_back();
    return id;
  }
  void Free(Id id) {
    if (id.index() >= next_) [[unlikely]]
      ThrowBadId(id.index(), next_);
    resting_.push_back(id);
  }
  // After a snapshot was published without the freed ids.
  void Recycle() {
    free_.insert(free_.end(), resting_.begin(), resting_.end());
    resting_.clear();
  }
  size_t capacity() const { return next_; }

 private:
  size_t next_ = 0;
  std::vector<Id> free_;
  std::vector<Id> resting_;
};

}  // namespace bth::cache
