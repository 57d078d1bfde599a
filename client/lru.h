// A bounded map that forgets what was not used for longest.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"

namespace bth::client {

// Thread: one owner.
template <typename Value>
class Lru final {
 public:
  explicit Lru(size_t size_max) : size_max_(size_max) { BTH_CHECK(size_max > 0); }

  // The value of `key`, used now, or null. The pointer holds until the next Touch.
  Value* Find(const std::string& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->second;
  }
  // The value of `key`, made from nothing when absent. The reference holds until the next Touch.
  Value& Touch(const std::string& key) {
    if (Value* found = Find(key)) return *found;
    if (order_.size() == size_max_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, Value());
    index_[order_.front().first] = order_.begin();
    return order_.front().second;
  }
  // Forgets from what was not used for longest on, as long as `is_over` says so of the value.
  template <typename IsOver>
  void DropWhile(const IsOver& is_over) {
    while (!order_.empty() && is_over(order_.back().second)) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
  }
  size_t size() const { return order_.size(); }

 private:
  using Order = std::list<std::pair<std::string, Value>>;
  const size_t size_max_;
  Order order_;  // Most recently used first.
  absl::flat_hash_map<std::string_view, typename Order::iterator> index_;  // Keys lie in `order_`.
};

}  // namespace bth::client
