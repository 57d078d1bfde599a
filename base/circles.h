// Names that wait for each other without end. Pure, any thread.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace bth {

// `name` waits for all of `targets`, or with `any` for one of them; a name that is nobody's is
// never there.
struct Waiting {
  std::string_view name;
  std::set<std::string_view> targets;
  bool any = false;
};

// The entries that are left when those that wait for nothing, and whoever waits for them, are taken
// away, by index and in order. Entries of one name are there with the first of them.
std::vector<size_t> InCircles(const std::vector<Waiting>& entries);

}  // namespace bth
