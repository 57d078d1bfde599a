#include "controllers/job/pod_group_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/status.h"
#include "controllers/core/ownership.h"
#include "controllers/job/keys.h"
#include "controllers/job/names.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::BatchTask;
using types::PodGroup;
using types::PodGroupSpec;
using types::SubGroupPolicy;

int32_t TaskMinimum(const BatchTask& task) {
  if (task.min_available.has_value()) return *task.min_available;
  if (task.partition_policy.has_value()) {
    const auto& policy = *task.partition_policy;
    const int64_t pods = int64_t{policy.min_partitions} * policy.partition_size;
    if (pods > 0) {
      return static_cast<int32_t>(std::min<int64_t>(pods, std::numeric_limits<int32_t>::max()));
    }
  }
  return task.replicas;
}

SubGroupPolicy SubGroupOf(const BatchTask& task) {
  SubGroupPolicy group;
  group.name = task.name;
  group.sub_group_size = task.partition_policy->partition_size;
  group.min_sub_groups = task.partition_policy->min_partitions;
  group.label_selector.emplace();
  group.label_selector->match_labels.Set(kTaskSpecKey, task.name);
  group.match_label_keys.emplace_back(kPartitionIdKey);
  group.network_topology = task.partition_policy->network_topology;
  return group;
}

std::vector<SubGroupPolicy> SubGroupsOf(const types::BatchJobSpec& spec) {
  std::vector<SubGroupPolicy> groups;
  for (const BatchTask& task : spec.tasks) {
    if (task.partition_policy.has_value()) groups.push_back(SubGroupOf(task));
  }
  return groups;
}

// With one of the two ways to name a tier; the number wins.
types::NetworkTopology CompleteTopology(const types::NetworkTopology& asked) {
  types::NetworkTopology topology = asked;
  if (topology.highest_tier_allowed.has_value()) topology.highest_tier_name.clear();
  return topology;
}

}  // namespace

absl::StatusOr<PodGroupSpec> UpdatedPodGroup(const PodGroupSpec& spec, const BatchJob& job,
                                             const PriorityOf& priority_of) {
  PodGroupSpec updated = spec;
  updated.priority_class_name = job.spec.priority_class_name;
  updated.min_member = job.spec.min_available;
  BTH_ASSIGN_OR_RETURN(updated.min_resources, MinResources(job.spec, priority_of));
  for (const BatchTask& task : job.spec.tasks) {
    updated.min_task_member.Set(task.name, TaskMinimum(task));
  }
  updated.sub_group_policy = SubGroupsOf(job.spec);
  return updated;
}

absl::StatusOr<PodGroup> BuildPodGroup(const BatchJob& job, const PriorityOf& priority_of) {
  PodGroup group;
  group.meta.name = PodGroupName(job);
  group.meta.ns = job.meta.ns;
  group.meta.annotations = job.meta.annotations;
  group.meta.annotations.Set(kJobQueueKey, job.spec.queue);
  group.meta.labels = job.meta.labels;
  group.meta.owner_references.push_back(ControllerReferenceTo(job));
  group.spec.queue = job.spec.queue;
  if (job.spec.network_topology.has_value()) {
    group.spec.network_topology = CompleteTopology(*job.spec.network_topology);
  }
  BTH_ASSIGN_OR_RETURN(group.spec, UpdatedPodGroup(group.spec, job, priority_of));
  return group;
}

std::string_view KeptQueue(const PodGroup& group, const types::BatchJobSpec& spec) {
  const std::string_view named = group.meta.Annotation(kJobQueueKey);
  const std::string_view before = named.empty() ? kDefaultQueue : named;
  const bool has_changed = spec.queue != before && spec.queue != group.spec.queue;
  return has_changed ? std::string_view(group.spec.queue) : std::string_view();
}

}  // namespace bth::controllers
