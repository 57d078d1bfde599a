#include "actions/eviction/node_tasks.h"

#include <algorithm>

#include "algo/gang_rules.h"
#include "base/row_at.h"

namespace bth::actions::eviction {
namespace {

using framework::Session;
using model::NodeId;
using model::TaskId;
using model::TaskStatus;

bool TakesPart(const Session& session, TaskId task) {
  const model::TaskRow& row = session.task(task);
  return row.names != nullptr && row.job.valid() && algo::TakesPart(session.job(row.job));
}

}  // namespace

NodeTasks::NodeTasks(const Session& session) {
  const size_t nodes = session.base().nodes.size();
  kept_.resize(nodes);
  for (TaskId task : session.base().tasks.ids()) {
    const model::TaskState& state = session.state(task);
    if (!state.node.valid() || state.node.index() >= nodes) continue;
    if (model::InGroup(state.status, model::kPreemptableGroup)) {
      if (!TakesPart(session, task)) {
        ++RowAt(kept_, state.node).outside;
      } else if (!session.task(task).preemptable) {
        ++RowAt(kept_, state.node).marked;
      }
    } else if (session.base().usage.tasks[task].status == TaskStatus::kReleasing) {
      leaving_.push_back({state.node, session.task(task).priority});
    }
  }
  std::vector<TaskId> candidates;
  first_task_.assign(nodes + 1, 0);
  // All jobs that take part, by age, and each one's tasks by theirs.
  for (model::JobId job : *session.base().all_jobs) {
    for (TaskId task : *session.job(job).tasks) {
      const model::TaskState& state = session.state(task);
      if (!state.node.valid() || state.node.index() >= nodes) continue;
      if (!model::InGroup(state.status, model::kPreemptableGroup)) continue;
      if (!session.task(task).preemptable) continue;
      candidates.push_back(task);
      ++first_task_[state.node.index() + 1];
    }
  }
  for (size_t i = 0; i < nodes; ++i) first_task_[i + 1] += first_task_[i];
  tasks_.resize(candidates.size());
  std::vector<size_t> next(first_task_.begin(), first_task_.end() - 1);
  for (TaskId task : candidates) tasks_[RowAt(next, session.state(task).node)++] = task;

  first_share_.assign(nodes + 1, 0);
  for (size_t i = 0; i < nodes; ++i) {
    for (TaskId task : On(NodeId::FromIndex(i))) {
      const model::QueueId queue = session.job(session.task(task).job).queue;
      auto share =
          std::find_if(shares_.begin() + static_cast<std::ptrdiff_t>(first_share_[i]),
                       shares_.end(), [queue](const Share& other) { return other.queue == queue; });
      if (share == shares_.end()) share = shares_.insert(share, Share{.queue = queue});
      ++share->tasks;
      share->request += session.request(task);
    }
    first_share_[i + 1] = shares_.size();
  }
  std::sort(leaving_.begin(), leaving_.end(),
            [](const Leaving& a, const Leaving& b) { return a.node < b.node; });
}

bool NodeTasks::IsLeft(NodeId node, int32_t priority) const {
  auto it = std::lower_bound(leaving_.begin(), leaving_.end(), node,
                             [](const Leaving& entry, NodeId id) { return entry.node < id; });
  for (; it != leaving_.end() && it->node == node; ++it) {
    if (it->priority < priority) return true;
  }
  return false;
}

}  // namespace bth::actions::eviction
