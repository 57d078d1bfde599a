#include "plugins/drf/queue_tree.h"

namespace bth::plugins::drf {

QueueTree::QueueTree(const model::Snapshot& base)
    : tree_(base.total), paths_(base.queues.size()), leaves_(base.jobs.size(), kNone) {
  for (model::JobId id : *base.all_jobs) {
    const model::QueueId queue_id = base.jobs[id].queue;
    algo::HdrfTree::Path& path = paths_[queue_id];
    if (path.empty()) {
      const model::QueueRow& queue = base.queues[queue_id];
      path = tree_.AddQueue(queue.hierarchy, queue.hierarchy_weights);
    }
    const model::JobCounts& counts = base.usage.jobs[id];
    leaves_[id] = tree_.AddJob(path, counts.allocated, counts.request);
  }
}

}  // namespace bth::plugins::drf
