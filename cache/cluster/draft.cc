#include "cache/cluster/draft.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace bth::cache {

void Draft::Publish(absl::Time taken_at) {
  std::sort(changed_jobs.begin(), changed_jobs.end());
  changed_jobs.erase(std::unique(changed_jobs.begin(), changed_jobs.end()), changed_jobs.end());
  now.changed_jobs =
      std::make_shared<const std::vector<model::JobId>>(std::exchange(changed_jobs, {}));
  ++now.generation;
  now.taken_at = taken_at;
  changed = false;
  statuses_changed = false;
}

}  // namespace bth::cache
