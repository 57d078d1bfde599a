#include "controllers/job/sync_plan.h"

#include <algorithm>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/strings.h"
#include "controllers/job/depends_on.h"
#include "controllers/job/names.h"

namespace bth::controllers {
namespace {

// Whether the pod is one of the task's replicas by its name.
bool IsWanted(const std::string& name, const std::string& prefix, int32_t replicas) {
  int32_t index = 0;
  const auto rest = ToAbsl(std::string_view(name)).substr(std::min(prefix.size(), name.size()));
  // Exactly as we write it: no sign, no zeros in front.
  return absl::SimpleAtoi(rest, &index) && index >= 0 && index < replicas &&
         name == absl::StrCat(prefix, index);
}

void PlanExtra(const JobView& job, const types::BatchTask& task, SyncPlan* plan) {
  const std::string prefix = absl::StrCat(job.job->meta.name, "-", task.name, "-");
  for (const auto& [name, pod] : job.PodsOf(task.name)) {
    if (IsWanted(name, prefix, task.replicas)) continue;
    if (job.IsTerminating(*pod)) {
      ++plan->counts.terminating;
    } else {
      plan->deletes.push_back(pod);
    }
  }
}

void PlanTask(const JobView& job, size_t number, SyncPlan* plan) {
  const types::BatchTask& task = job.job->spec.tasks[number];
  const JobView::Pods& pods = job.PodsOf(task.name);
  std::vector<PodToCreate> missing;
  size_t wanted = 0;
  for (int32_t i = 0; i < task.replicas; ++i) {
    const auto found = pods.find(PodName(job.job->meta.name, task.name, i));
    if (found == pods.end()) {
      missing.push_back({number, i});
      continue;
    }
    ++wanted;
    const PodPointer& pod = found->second;
    if (job.IsTerminating(*pod)) {
      ++plan->counts.terminating;
    } else {
      if (IsMarkedOutOfSync(*pod)) plan->deletes.push_back(pod);
      plan->counts.Add(task.name, *pod);
    }
  }
  if (wanted < pods.size()) PlanExtra(job, task, plan);
  if (!missing.empty() && DependencyIsMet(job, task)) {
    plan->creates.insert(plan->creates.end(), missing.begin(), missing.end());
  }
}

}  // namespace

SyncPlan PlanSync(const JobView& job) {
  SyncPlan plan;
  for (size_t i = 0; i < job.job->spec.tasks.size(); ++i) PlanTask(job, i, &plan);
  return plan;
}

}  // namespace bth::controllers
