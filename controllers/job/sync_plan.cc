#include "controllers/job/sync_plan.h"

#include <map>
#include <string>

#include "controllers/job/depends_on.h"
#include "controllers/job/names.h"

namespace bth::controllers {
namespace {

void PlanPods(const JobView& job, const types::BatchTask& task, SyncPlan* plan) {
  for (const auto& [name, pod] : job.PodsOf(task.name)) {
    const bool wanted = IsReplica(name, job.job->meta.name, task.name, task.replicas);
    if (job.IsTerminating(*pod)) {
      ++plan->counts.terminating;
      continue;
    }
    if (!wanted || IsMarkedOutOfSync(*pod)) plan->deletes.push_back(pod);
    if (wanted) plan->counts.Add(task.name, *pod);
  }
}

// Costs no more than what exists and what is made: the number of replicas may be any.
void PlanMissing(const JobView& job, size_t number, SyncPlan* plan) {
  const types::BatchTask& task = job.job->spec.tasks[number];
  const JobView::Pods& pods = job.PodsOf(task.name);
  for (int32_t i = 0; i < task.replicas && !plan->is_partial; ++i) {
    if (pods.contains(PodName(job.job->meta.name, task.name, i))) continue;
    plan->is_partial = plan->creates.size() == kCreatesMax;
    if (!plan->is_partial) plan->creates.push_back({number, i});
  }
}

}  // namespace

SyncPlan PlanSync(const JobView& job) {
  SyncPlan plan;
  const std::vector<types::BatchTask>& tasks = job.job->spec.tasks;
  std::map<std::string, bool> known;  // Tasks that others depend on: each is looked at once.
  const auto ready = [&](const std::string& name) {
    const auto [at, is_new] = known.try_emplace(name, false);
    if (is_new) at->second = TaskIsReady(job, name);
    return at->second;
  };
  for (size_t i = 0; i < tasks.size(); ++i) {
    PlanPods(job, tasks[i], &plan);
    if (DependencyIsMet(tasks[i], ready)) PlanMissing(job, i, &plan);
  }
  return plan;
}

PodCounts CountAllPods(const JobView& job) {
  PodCounts counts;
  for (const auto& [task, pods] : job.tasks) {
    for (const auto& [name, pod] : *pods) {
      if (job.IsTerminating(*pod)) {
        ++counts.terminating;
      } else {
        counts.Add(task, *pod);
      }
    }
  }
  return counts;
}

}  // namespace bth::controllers
