// The binary heap that orders queues, jobs and tasks. Its comparison may change between calls
// (shares move as tasks are placed), so the exact sift algorithm is part of the behaviour.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/defect.h"

namespace bth {

// `Less(a, b)` is asked at the time of each operation; nothing is re-ordered in between.
template <typename T, typename Less>
class Heap {
 public:
  explicit Heap(Less less) : less_(std::move(less)) {}

  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }
  const std::vector<T>& items() const { return items_; }

  void Push(T item) {
    items_.push_back(std::move(item));
    size_t at = items_.size() - 1;
    while (at > 0) {
      const size_t parent = (at - 1) / 2;
      if (!less_(items_[at], items_[parent])) break;
      std::swap(items_[at], items_[parent]);
      at = parent;
    }
  }

  // Not empty.
  T Pop() {
    BTH_REQUIRE(!items_.empty());
    const size_t last = items_.size() - 1;
    std::swap(items_[0], items_[last]);
    size_t at = 0;
    for (;;) {
      size_t child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && less_(items_[child + 1], items_[child])) ++child;
      if (!less_(items_[child], items_[at])) break;
      std::swap(items_[at], items_[child]);
      at = child;
    }
    T top = std::move(items_[last]);
    items_.pop_back();
    return top;
  }

 private:
  Less less_;
  std::vector<T> items_;
};

}  // namespace bth
