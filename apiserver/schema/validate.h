// Whether a value keeps to its schema, and where it does not, in the words of the API.
#pragma once

#include <string_view>
#include <vector>

#include "apiserver/rest/errors.h"
#include "apiserver/schema/structural.h"

namespace bth::apiserver {

// One value that is to be checked.
struct Checked {
  const SchemaNode& node;
  const Json& value;
  // Null on creation. What is wrong in a part that is as it was is let through: a schema that
  // became stricter must not keep objects from being changed elsewhere.
  const Json* old = nullptr;
  // Where the value stands ("status"); empty at the top. Messages speak of the path below it.
  std::string_view field;
};

// The broken rules, at most kCausesMax of them. Pure; cost: one walk over a valid value, without
// an allocation.
std::vector<Cause> CheckValue(const Checked& checked);
constexpr size_t kCausesMax = 256;

// Items that occur twice in lists of unique items, and in lists that have keys. Without `old`'s
// faults: a list that had duplicates before may keep them.
std::vector<Cause> CheckUniqueItems(const Checked& checked);

// How a number reads in messages: 5, 1.5, 1e+30.
std::string NumberText(double value);

}  // namespace bth::apiserver
