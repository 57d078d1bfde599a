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
  int32_t ready = 0;
  for (int32_t i = 0; i < spec->replicas && ready < *spec->min_available; ++i) {
    const auto pod = pods.find(PodName(job.job->meta.name, task, i));
    if (pod != pods.end() && IsReady(*pod->second)) ++ready;
  }
  return ready >= *spec->min_available;
}

bool DependencyIsMet(const JobView& job, const types::BatchTask& task) {
  if (!task.depends_on.has_value() || task.depends_on->names.empty()) return true;
  const auto& names = task.depends_on->names;
  const auto ready = [&job](const std::string& name) { return TaskIsReady(job, name); };
  if (names.size() > 1 && task.depends_on->iteration == "any") {
    return std::any_of(names.begin(), names.end(), ready);
  }
  return std::all_of(names.begin(), names.end(), ready);
}

}  // namespace bth::controllers
