// Lists whose elements have keys: sets, and lists that are maps by some fields of their elements.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cel/values/value.h"

namespace bth::cel {

// The elements of a list by their keys. Views both. One thread.
class KeyedElements final {
 public:
  // In O(n).
  KeyedElements(const ListKeys& keys, const ListView& list);
  // An element whose key is that of `like`, the last of several.
  std::optional<Value> Find(const Value& like) const;
  std::optional<size_t> PlaceOf(const Value& like) const;

 private:
  std::string TextOf(const Value& element) const;
  bool HaveOneKey(const Value& a, const Value& b) const;

  const ListKeys& keys_;
  const ListView& list_;
  // By texts that are equal where keys are.
  std::unordered_map<std::string, std::vector<size_t>> places_;
};

// a + b, where `a` is a list with keys: elements of `b` that `a` has not follow those of `a`. Where
// it has them, those of a set stay, and those of a map are replaced at their places. The result has
// the keys of `a`. Errors: longer than kListSizeMax.
Value MergeLists(const Value& a, const Value& b);

}  // namespace bth::cel
