// Finds equal values quickly: lists that come from outside may be long.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cel/values/value.h"

namespace bth::cel {

// Equal values have equal texts; others may have. Not longer than the value's own text by much.
void AppendIndexText(const Value& value, std::string* text);

// The values that were added, by the equality of the language. One thread.
class ValueIndex {
 public:
  // False: an equal one is there already.
  bool Add(const Value& value);
  bool Contains(const Value& value) const;

 private:
  std::unordered_map<std::string, std::vector<Value>> by_key_;
};

}  // namespace bth::cel
