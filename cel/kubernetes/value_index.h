// Finds equal values quickly: lists that come from outside may be long.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cel/values/value.h"

namespace bth::cel {

// The values that were added, by the equality of the language. One thread.
class ValueIndex {
 public:
  // False: an equal one is there already.
  bool Add(const Value& value);
  bool Contains(const Value& value) const;

 private:
  // Equal values have equal keys.
  std::unordered_map<std::string, std::vector<Value>> by_key_;
};

}  // namespace bth::cel
