#include "controllers/job/depends_on.h"

#include <algorithm>

#include "controllers/job/names.h"

namespace bth::controllers {
namespace {

bool IsReady(const types::Pod& pod) {
  if (pod.status.phase == "Succeeded") return true;
  if (pod.status.phase != "Running") return false;
  const auto& statuses = pod.status.container_statuses;
  return std::all_of(statuses.begin(), statuses.end(), [](const auto& s) { return s.ready; });
}

}  // namespace

bool TaskIsReady(const JobView& job, std::string_view task) {
  const types::BatchTask* spec = FindTask(job.job->spec, task);
  if (spec == nullptr) return false;
  if (!spec->min_available.has_value()) return true;
  const JobView::Pods& pods = job.PodsOf(task);
  // Over what exists: what is asked for may be any number.
  int32_t ready = 0;
  for (auto pod = pods.begin(); pod != pods.end() && ready < *spec->min_available; ++pod) {
    if (!IsReady(*pod->second)) continue;
    if (IsReplica(pod->first, job.job->meta.name, task, spec->replicas)) ++ready;
  }
  return ready >= *spec->min_available;
}

bool DependsOnTasks(const types::BatchTask& task) {
  return task.depends_on.has_value() && !task.depends_on->names.empty();
}

bool DependencyIsMet(const types::BatchTask& task,
                     const std::function<bool(const std::string&)>& ready) {
  if (!DependsOnTasks(task)) return true;
  const auto& names = task.depends_on->names;
  if (names.size() > 1 && task.depends_on->iteration == "any") {
    return std::any_of(names.begin(), names.end(), ready);
  }
  return std::all_of(names.begin(), names.end(), ready);
}

}  // namespace bth::controllers
