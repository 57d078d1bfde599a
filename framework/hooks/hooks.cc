#include "framework/hooks/hooks.h"

namespace bth::framework::combine {

bool Starving(const HookList<std::function<bool(JobId)>>& list, JobId job) {
  if (list.empty()) return false;
  const int tier = list[0].origin.tier;
  for (const auto& entry : list) {
    if (entry.origin.tier != tier) break;
    if (!entry.fn(job)) return false;
  }
  return true;
}

}  // namespace bth::framework::combine
