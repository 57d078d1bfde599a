#include "framework/topology/sub_job_tasks.h"

#include <algorithm>

namespace bth::framework {

using model::SubJobId;
using model::TaskId;

absl::Span<const TaskId> SubJobTasks::Of(SubJobId sub_job) {
  const auto sub_job_of = [this](TaskId task) { return base_.tasks[task].sub_job; };
  const model::JobId job = base_.sub_jobs[sub_job].job;
  const auto [at, fresh] = by_job_.try_emplace(job);
  std::vector<TaskId>& tasks = at->second;
  if (fresh) {
    tasks = *base_.jobs[job].tasks;
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&sub_job_of](TaskId a, TaskId b) { return sub_job_of(a) < sub_job_of(b); });
  }
  const auto first = std::partition_point(tasks.begin(), tasks.end(),
                                          [&](TaskId task) { return sub_job_of(task) < sub_job; });
  const auto end = std::partition_point(first, tasks.end(),
                                        [&](TaskId task) { return sub_job_of(task) == sub_job; });
  return absl::MakeConstSpan(tasks).subspan(static_cast<size_t>(first - tasks.begin()),
                                            static_cast<size_t>(end - first));
}

}  // namespace bth::framework
