#include "controllers/job/min_resources.h"

#include <algorithm>
#include <vector>

#include "base/status.h"
#include "controllers/core/quota_usage.h"
#include "controllers/job/phases.h"

namespace bth::controllers {
namespace {

using types::BatchTask;

struct Share {
  const BatchTask* task;
  int32_t priority;
  int64_t taken = 0;
};

int64_t Replicas(const BatchTask& task) {
  return std::max(task.replicas, 0);
}

// Takes up to `most` pods of each share, in order, until none is missing.
template <typename Most>
void Take(std::vector<Share>* shares, int64_t* missing, Most most) {
  for (Share& share : *shares) {
    const int64_t count = std::clamp<int64_t>(most(share), 0, *missing);
    share.taken += count;
    *missing -= count;
  }
}

}  // namespace

absl::StatusOr<types::ResourceList> MinResources(const types::BatchJobSpec& spec,
                                                 const PriorityOf& priority_of) {
  std::vector<Share> shares;
  for (const BatchTask& task : spec.tasks) {
    const std::string& name = task.pod_template.view.spec.priority_class_name;
    shares.push_back({&task, name.empty() ? 0 : priority_of(name)});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.priority > b.priority; });
  int64_t missing = std::max(spec.min_available, 0);
  // A task without a minimum of its own is asked for as a whole.
  const auto minimum = [](const Share& share) -> int64_t {
    return std::max(share.task->min_available.value_or(share.task->replicas), 0);
  };
  const auto rest = [](const Share& share) { return Replicas(*share.task) - share.taken; };
  if (missing >= TotalMinimum(spec)) Take(&shares, &missing, minimum);
  Take(&shares, &missing, rest);
  types::ResourceList total;
  for (const Share& share : shares) {
    if (share.taken == 0) continue;
    BTH_ASSIGN_OR_RETURN(const types::ResourceList usage,
                         QuotaUsage(share.task->pod_template.view.spec));
    BTH_RETURN_IF_ERROR(AddUsage(usage, share.taken, &total));
  }
  return total;
}

}  // namespace bth::controllers
