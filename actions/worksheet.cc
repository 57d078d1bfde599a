#include "actions/worksheet.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "framework/nodes/node_picker.h"

namespace bth::actions {
namespace {

using framework::Session;
using model::JobId;
using model::SubJobId;
using model::TaskId;

// Sub-jobs that are not ready and that their group still needs: the first in sub-job order.
absl::flat_hash_set<SubJobId> RequiredSubJobs(const Session& session, JobId job) {
  const model::JobRow& row = session.job(job);
  std::vector<int32_t> ready(row.group_minimums->size(), 0);
  std::vector<SubJobId> waiting;
  for (SubJobId sub_job : *row.sub_jobs) {
    const int32_t group = session.base().sub_jobs[sub_job].group;
    if (group < 0) continue;
    if (session.votes().SubJobReady(job, sub_job)) {
      ++ready[static_cast<size_t>(group)];
    } else {
      waiting.push_back(sub_job);
    }
  }
  std::sort(waiting.begin(), waiting.end(), [&session](SubJobId a, SubJobId b) {
    return session.votes().CompareSubJobs(a, b) < 0;
  });
  absl::flat_hash_set<SubJobId> required;
  for (SubJobId sub_job : waiting) {
    const auto group = static_cast<size_t>(session.base().sub_jobs[sub_job].group);
    if (ready[group] >= (*row.group_minimums)[group].second) continue;
    ++ready[group];
    required.insert(sub_job);
  }
  return required;
}

}  // namespace

bool Worksheet::HasTasks() const {
  return std::any_of(sub_jobs.begin(), sub_jobs.end(),
                     [](const SubJobWorksheet& worksheet) { return !worksheet.tasks.empty(); });
}

bool ComesBefore(const Session& session, const SubJobWorksheet& a, const SubJobWorksheet& b) {
  if (a.required != b.required) return a.required;
  return session.votes().CompareSubJobs(a.sub_job, b.sub_job) < 0;
}

Worksheet MakeWorksheet(const Session& session, JobId job) {
  const model::JobRow& row = session.job(job);
  Worksheet out;
  const TaskLess less = TaskOrder(session, job);
  absl::flat_hash_set<SubJobId> required;
  if (row.has_sub_group_policy) required = RequiredSubJobs(session, job);
  for (SubJobId sub_job : *row.sub_jobs) {
    out.sub_jobs.push_back({sub_job, required.contains(sub_job), TaskHeap(less), TaskHeap(less)});
  }
  std::sort(out.sub_jobs.begin(), out.sub_jobs.end(),
            [&session](const SubJobWorksheet& a, const SubJobWorksheet& b) {
              return ComesBefore(session, a, b);
            });
  absl::flat_hash_map<SubJobId, size_t> worksheet_of;
  for (size_t i = 0; i < out.sub_jobs.size(); ++i) worksheet_of[out.sub_jobs[i].sub_job] = i;
  for (TaskId task : *row.tasks) {
    if (session.state(task).status != model::TaskStatus::kPending) continue;
    const model::TaskRow& task_row = session.task(task);
    const bool best_effort = session.shape(task_row.shape).best_effort;
    if (task_row.gated && (best_effort || !task_row.own_gate_only)) continue;
    const auto at = worksheet_of.find(task_row.sub_job);
    if (at == worksheet_of.end()) continue;
    SubJobWorksheet& worksheet = out.sub_jobs[at->second];
    (best_effort ? worksheet.best_effort : worksheet.tasks).Push(task);
  }
  std::erase_if(out.sub_jobs, [](const SubJobWorksheet& worksheet) {
    return worksheet.tasks.empty() && worksheet.best_effort.empty();
  });
  return out;
}

void PlaceBestEffort(Session& session, TaskId task, framework::Statement& statement) {
  const framework::NodeChoice choice = session.picker().PickForBestEffort(task);
  if (!choice.node.valid()) return;
  if (session.request(task).FitsIn(session.usage().idle[choice.node])) {
    statement.Allocate(task, choice.node);
  } else {
    statement.Pipeline(task, choice.node, false);
  }
}

}  // namespace bth::actions
