#include "base/circles.h"

#include <map>

namespace bth {

std::vector<size_t> InCircles(const std::vector<Waiting>& entries) {
  std::map<std::string_view, std::vector<size_t>> followers;
  std::vector<size_t> waits(entries.size());
  std::vector<size_t> free;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Waiting& entry = entries[i];
    waits[i] = entry.any && !entry.targets.empty() ? 1 : entry.targets.size();
    if (waits[i] == 0) free.push_back(i);
    for (const std::string_view target : entry.targets) followers[target].push_back(i);
  }
  std::set<std::string_view> done;
  for (size_t next = 0; next < free.size(); ++next) {
    const std::string_view name = entries[free[next]].name;
    if (!done.insert(name).second) continue;
    for (const size_t follower : followers[name]) {
      // With `any`, the others come too late.
      if (waits[follower] > 0 && --waits[follower] == 0) free.push_back(follower);
    }
  }
  std::vector<size_t> left;
  for (size_t i = 0; i < waits.size(); ++i) {
    if (waits[i] > 0) left.push_back(i);
  }
  return left;
}

}  // namespace bth
