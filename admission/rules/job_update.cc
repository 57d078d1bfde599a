#include "admission/rules/job_update.h"

#include <string>
#include <string_view>

#include "admission/rules/semantic_equal.h"
#include "admission/rules/task_partition.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

using types::BatchJob;
using types::BatchTask;

Verdict CheckTask(const BatchTask& task, std::string_view job) {
  const auto refuse = [&task](std::string_view reason, std::string_view what) {
    return Verdict::Refuse(reason, StrCat(what, " in task: ", task.name));
  };
  if (task.replicas < 0) return refuse("task_replicas", "'replicas' must be >= 0");
  if (task.min_available.has_value()) {
    if (*task.min_available < 0) {
      return refuse("task_min_available", "'minAvailable' must be >= 0");
    }
    if (*task.min_available > task.replicas) {
      return refuse("task_min_available", "'minAvailable' must be <= 'replicas'");
    }
  }
  if (std::string text = PartitionPolicyText(task, job); !text.empty()) {
    return Verdict::Refuse("partition", std::move(text));
  }
  return Verdict::Allow();
}

void EraseMembers(Json* object, std::initializer_list<std::string_view> keys) {
  if (!object->is_object()) return;
  for (const std::string_view key : keys) object->Erase(key);
}

// The spec without what users and controllers may change.
Json Fixed(const Json* document) {
  Json spec = document == nullptr ? Json() : std::as_const(*document)["spec"];
  EraseMembers(&spec, {"minAvailable", "priorityClassName"});
  if (Json* tasks = spec.Find("tasks"); tasks != nullptr && tasks->is_array()) {
    for (Json& task : tasks->MutableItems()) EraseMembers(&task, {"replicas", "minAvailable"});
  }
  if (Json* volumes = spec.Find("volumes"); volumes != nullptr && volumes->is_array()) {
    for (Json& volume : volumes->MutableItems()) {
      // Once the claim is made, its name is written beside it.
      if (!std::as_const(volume)["volumeClaim"].is_null()) {
        EraseMembers(&volume, {"volumeClaimName"});
      }
    }
  }
  return spec;
}

}  // namespace

Verdict CheckJobUpdate(const BatchJob& old_job, const BatchJob& job, const Request& request) {
  int64_t replicas = 0;
  for (const BatchTask& task : job.spec.tasks) {
    Verdict verdict = CheckTask(task, job.meta.name);
    if (!verdict.allowed) return verdict;
    replicas += task.replicas;
  }
  if (job.spec.min_available > replicas) {
    return Verdict::Refuse("min_available",
                           "job 'minAvailable' must not be greater than total replicas");
  }
  if (job.spec.min_available < 0) {
    return Verdict::Refuse("min_available", "job 'minAvailable' must be >= 0");
  }
  if (const std::string_view text = TierText(job.spec.network_topology); !text.empty()) {
    return Verdict::Refuse("network_topology", std::string(text));
  }
  if (old_job.spec.tasks.size() != job.spec.tasks.size()) {
    return Verdict::Refuse("task_count", "job updates may not add or remove tasks");
  }
  if (SemanticallyEqual(Fixed(request.old_object), Fixed(request.object))) return Verdict::Allow();
  return Verdict::Refuse("fixed_fields",
                         "job updates may not change fields other than `minAvailable`, "
                         "`tasks[*].replicas under spec` and `PriorityClassName`");
}

}  // namespace bth::admission
