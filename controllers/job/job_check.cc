#include "controllers/job/job_check.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/rules/task_partition.h"
#include "base/circles.h"
#include "base/status.h"
#include "base/strings.h"
#include "controllers/job/phases.h"
#include "controllers/job/policy_check.h"
#include "controllers/job/template_check.h"

namespace bth::controllers {
namespace {

using types::BatchJobSpec;
using types::BatchTask;

template <typename... Parts>
absl::Status WrongJob(const Parts&... parts) {
  return absl::InvalidArgumentError(StrCat(parts...));
}

// Pods are numbered into parts of partitionSize; of which there are then as many as totalPartitions
// says. (A minimum that is no number of whole parts can be run.)
absl::Status CheckPartitions(const BatchTask& task) {
  const admission::PartitionFault fault = admission::CheckPartition(task);
  if (fault == admission::PartitionFault::kNone ||
      fault == admission::PartitionFault::kMinAvailable) {
    return absl::OkStatus();
  }
  const types::PartitionPolicy& policy = *task.partition_policy;
  if (fault == admission::PartitionFault::kReplicas) {
    return WrongJob("task ", task.name, ": partitionPolicy: ", policy.total_partitions,
                    " partitions of ", policy.partition_size, " pods are not its ", task.replicas,
                    " replicas");
  }
  return WrongJob("task ", task.name,
                  ": partitionPolicy: totalPartitions and partitionSize must be positive, are ",
                  policy.total_partitions, " and ", policy.partition_size);
}

absl::Status CheckTask(const BatchTask& task) {
  if (task.name.empty()) return WrongJob("a task has no name");
  if (task.replicas < 0) {
    return WrongJob("task ", task.name, ": replicas must not be negative, is ", task.replicas);
  }
  if (task.min_available.has_value() && *task.min_available < 0) {
    return WrongJob("task ", task.name, ": minAvailable must not be negative, is ",
                    *task.min_available);
  }
  if (task.min_available.value_or(0) > task.replicas) {
    return WrongJob("task ", task.name, ": minAvailable ", *task.min_available,
                    " is more than its ", task.replicas, " replicas");
  }
  return CheckPartitions(task);
}

absl::Status CheckTaskNames(const BatchJobSpec& spec) {
  std::set<std::string_view> names, twice;
  for (const BatchTask& task : spec.tasks) {
    if (!names.insert(task.name).second) twice.insert(task.name);
  }
  for (const BatchTask& task : spec.tasks) {
    BTH_RETURN_IF_ERROR(CheckTask(task));
    if (twice.contains(task.name)) {
      return WrongJob("two tasks have the name ", task.name, ": rename one");
    }
    if (!task.depends_on.has_value()) continue;
    for (const std::string& name : task.depends_on->names) {
      if (!names.contains(name)) {
        return WrongJob("task ", task.name, " depends on task ", name, ", which does not exist");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCircles(const BatchJobSpec& spec) {
  std::vector<Waiting> tasks;
  for (const BatchTask& task : spec.tasks) {
    Waiting& waiting = tasks.emplace_back();
    waiting.name = task.name;
    if (!task.depends_on.has_value()) continue;
    waiting.targets.insert(task.depends_on->names.begin(), task.depends_on->names.end());
    waiting.any = task.depends_on->iteration == "any";
  }
  const std::vector<size_t> circle = InCircles(tasks);
  if (circle.empty()) return absl::OkStatus();
  return WrongJob("task ", spec.tasks[circle.front()].name,
                  " depends, over other tasks, on itself");
}

}  // namespace

absl::Status CheckJob(const BatchJobSpec& spec) {
  if (spec.tasks.empty()) return WrongJob("the job has no tasks");
  if (spec.tasks.size() > kJobTasksMax) {
    return WrongJob("the job has ", spec.tasks.size(), " tasks; at most ", kJobTasksMax,
                    " are possible");
  }
  if (spec.volumes.size() > kJobVolumesMax) {
    return WrongJob("the job has ", spec.volumes.size(), " volumes; at most ", kJobVolumesMax,
                    " are possible");
  }
  if (spec.min_available < 0) {
    return WrongJob("job 'minAvailable' must be >= 0, is ", spec.min_available);
  }
  BTH_RETURN_IF_ERROR(CheckTaskNames(spec));
  BTH_RETURN_IF_ERROR(CheckCircles(spec));
  if (const std::string text = NegativeAmountText(spec); !text.empty()) {
    return WrongJob(text, ": mend that field");
  }
  if (TotalReplicas(spec) > kJobPodsMax) {
    return WrongJob("the job has ", TotalReplicas(spec), " pods; at most ", kJobPodsMax,
                    " are possible");
  }
  if (spec.min_available > TotalReplicas(spec)) {
    return WrongJob("minAvailable ", spec.min_available, " is more than the ", TotalReplicas(spec),
                    " replicas of all tasks");
  }
  return CheckPolicies(spec);
}

}  // namespace bth::controllers
