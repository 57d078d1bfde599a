#include "plugins/tdm/eviction_quota.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/numbers.h"
#include "base/strings.h"

namespace bth::plugins::tdm {
namespace {

using model::TaskStatus;

// "3", or "30%" of `total`, rounded up; anything else is 0.
int64_t ValueOf(std::string_view text, int64_t total) {
  constexpr int64_t kMax = 1'000'000'000;  // Keeps products small.
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  int64_t value = 0;
  if (!SimpleAtoi(text, &value)) return 0;
  value = std::clamp(value, -kMax, kMax);
  if (!percent) return value;
  const int64_t product = value * total;
  return product > 0 ? (product + 99) / 100 : product / 100;
}

}  // namespace

int32_t EvictionQuota(const model::JobFacts& facts, const model::JobCounts& counts) {
  const int64_t running = counts.count(TaskStatus::kRunning);
  const int64_t total = counts.total();
  int64_t quota = 1;
  if (!facts.budget_max_unavailable.empty()) {
    const int64_t ended = counts.count(TaskStatus::kSucceeded) + counts.count(TaskStatus::kFailed);
    quota = ValueOf(facts.budget_max_unavailable, total) - (total - ended - running);
  } else if (!facts.budget_min_available.empty()) {
    quota = running - ValueOf(facts.budget_min_available, total);
  }
  return static_cast<int32_t>(std::clamp<int64_t>(quota, 0, total));
}

}  // namespace bth::plugins::tdm
