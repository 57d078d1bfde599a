#include "controllers/queue/group_counts.h"

namespace bth::controllers {

void GroupCounts::Count(const types::PodGroup& group, int64_t by) {
  Counts& counts = queues_[group.spec.queue];
  counts.total += by;
  const std::string& phase = group.status.phase;
  if (phase == "Pending") counts.phases.pending += by;
  if (phase == "Inqueue") counts.phases.inqueue += by;
  if (phase == "Running") counts.phases.running += by;
  if (phase == "Unknown") counts.phases.unknown += by;
  if (phase == "Completed") counts.phases.completed += by;
  if (counts.total == 0) queues_.erase(group.spec.queue);
}

int64_t GroupCounts::Total(const std::string& queue) const {
  const auto found = queues_.find(queue);
  return found == queues_.end() ? 0 : found->second.total;
}

metrics::PodGroupCounts GroupCounts::Of(const std::string& queue) const {
  const auto found = queues_.find(queue);
  return found == queues_.end() ? metrics::PodGroupCounts{} : found->second.phases;
}

}  // namespace bth::controllers
