#include "actions/worksheet.h"

#include <algorithm>

namespace bth::actions {
namespace {

using framework::Session;
using model::JobId;
using model::SubJobId;
using model::TaskId;

bool IsWanted(const Session& session, TaskId task) {
  const model::TaskRow& row = session.task(task);
  if (session.state(task).status != model::TaskStatus::kPending) return false;
  if (row.gated && !row.own_gate_only) return false;
  return !session.shape(row.shape).best_effort;
}

// Sub-jobs that are not ready and that their group still needs, in sub-job order.
std::vector<SubJobId> RequiredSubJobs(const Session& session, JobId job) {
  const model::JobRow& row = session.job(job);
  std::vector<int32_t> ready(row.group_minimums->size(), 0);
  std::vector<SubJobId> waiting;
  for (SubJobId sub_job : *row.sub_jobs) {
    const int32_t group = session.base().sub_jobs[sub_job].group;
    if (group < 0) continue;
    if (session.SubJobReady(job, sub_job)) {
      ++ready[static_cast<size_t>(group)];
    } else {
      waiting.push_back(sub_job);
    }
  }
  std::sort(waiting.begin(), waiting.end(),
            [&session](SubJobId a, SubJobId b) { return session.CompareSubJobs(a, b) < 0; });
  std::vector<SubJobId> required;
  for (SubJobId sub_job : waiting) {
    const auto group = static_cast<size_t>(session.base().sub_jobs[sub_job].group);
    if (ready[group] >= (*row.group_minimums)[group].second) continue;
    ++ready[group];
    required.push_back(sub_job);
  }
  return required;
}

}  // namespace

bool Worksheet::empty() const {
  return std::all_of(sub_jobs.begin(), sub_jobs.end(),
                     [](const SubJobSheet& sheet) { return sheet.tasks.empty(); });
}

Worksheet MakeWorksheet(const Session& session, JobId job) {
  const model::JobRow& row = session.job(job);
  Worksheet out;
  const auto less = [&session](TaskId a, TaskId b) { return session.CompareTasks(a, b) < 0; };
  std::vector<SubJobId> required;
  if (row.has_sub_group_policy) required = RequiredSubJobs(session, job);
  for (SubJobId sub_job : *row.sub_jobs) {
    const bool is_required = std::find(required.begin(), required.end(), sub_job) != required.end();
    out.sub_jobs.push_back({sub_job, is_required, TaskHeap(less)});
  }
  std::sort(out.sub_jobs.begin(), out.sub_jobs.end(),
            [&session](const SubJobSheet& a, const SubJobSheet& b) {
              if (a.required != b.required) return a.required;
              return session.CompareSubJobs(a.sub_job, b.sub_job) < 0;
            });
  for (TaskId task : *row.tasks) {
    if (!IsWanted(session, task)) continue;
    const SubJobId sub_job = session.task(task).sub_job;
    for (SubJobSheet& sheet : out.sub_jobs) {
      if (sheet.sub_job == sub_job) {
        sheet.tasks.Push(task);
        break;
      }
    }
  }
  std::erase_if(out.sub_jobs, [](const SubJobSheet& sheet) { return sheet.tasks.empty(); });
  return out;
}

}  // namespace bth::actions
