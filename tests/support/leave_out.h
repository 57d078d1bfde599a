// Leaves parts of a random world out, so that what makes a property fail can be found by trying.
#pragma once

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::test {

// Parts are named "<kind><number>" in the order in which they were drawn.
// BTH_LEAVE_OUT="pod3,node0" leaves two of them out of every world; BTH_SHOW_WORLD=1 tells those
// that are left on stderr, each on a line "part <name>: <text>". `make worlds` does both to shrink
// a world.
template <typename T, typename Tell>
void LeaveOut(std::vector<T>* parts, const std::string& kind, const Tell& tell) {
  static const auto* const kOut = [] {
    const char* const text = std::getenv("BTH_LEAVE_OUT");
    auto* const out = new std::set<std::string>();
    if (text == nullptr) return out;
    const std::vector<std::string> names = absl::StrSplit(text, ',');
    out->insert(names.begin(), names.end());
    return out;
  }();
  const bool shown = std::getenv("BTH_SHOW_WORLD") != nullptr;
  if (kOut->empty() && !shown) return;
  std::vector<T> left;
  for (size_t i = 0; i < parts->size(); ++i) {
    const std::string name = StrCat(kind, i);
    if (kOut->contains(name)) continue;
    if (shown) std::cerr << "part " << name << ": " << tell((*parts)[i]) << "\n";
    left.push_back(std::move((*parts)[i]));
  }
  *parts = std::move(left);
}

}  // namespace bth::test
