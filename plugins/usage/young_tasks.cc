#include "plugins/usage/young_tasks.h"

#include <algorithm>

#include "base/changed_rows.h"

namespace bth::plugins::usage {

using model::TaskId;
using model::TaskStatus;

bool IsYoung(const model::TaskRow& task, const model::TaskState& state, int64_t now_us,
             int64_t window_us) {
  if (task.names == nullptr || !state.node.valid()) return false;
  switch (state.status) {
    case TaskStatus::kAllocated:
    case TaskStatus::kBinding:
    case TaskStatus::kBound:
      return true;
    case TaskStatus::kRunning:
      return task.started_us == 0 || now_us - task.started_us < window_us;
    default:
      return false;
  }
}

void YoungTasks::Advance(const model::Snapshot& base, int64_t now_us, int64_t window_us) {
  const auto young = [&](TaskId task) {
    return task.index() < base.tasks.size() &&
           IsYoung(base.tasks[task], base.usage.tasks[task], now_us, window_us);
  };
  // Time passes also for those that did not change.
  std::erase_if(tasks_, [&young](TaskId task) { return !young(task); });
  const auto look = [&](size_t row) {
    const TaskId task = TaskId::FromIndex(row);
    if (young(task)) tasks_.insert(task);
  };
  ForChangedRows(base.tasks, rows_, look);
  ForChangedRows(base.usage.tasks, states_, look);
  rows_ = base.tasks;
  states_ = base.usage.tasks;
}

std::vector<TaskId> YoungTasks::Sorted(const model::Snapshot& base) const {
  std::vector<TaskId> out(tasks_.begin(), tasks_.end());
  std::sort(out.begin(), out.end(), [&base](TaskId a, TaskId b) {
    const model::NodeId left = base.usage.tasks[a].node;
    const model::NodeId right = base.usage.tasks[b].node;
    if (left != right) return left < right;
    const model::TaskNames& x = *base.tasks[a].names;
    const model::TaskNames& y = *base.tasks[b].names;
    return x.created_us != y.created_us ? x.created_us < y.created_us : x.uid < y.uid;
  });
  return out;
}

}  // namespace bth::plugins::usage
