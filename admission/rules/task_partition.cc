#include "admission/rules/task_partition.h"

#include "base/strings.h"

namespace bth::admission {

PartitionFault CheckPartition(const types::BatchTask& task) {
  if (!task.partition_policy.has_value()) return PartitionFault::kNone;
  const types::PartitionPolicy& policy = *task.partition_policy;
  if (policy.total_partitions <= 0) return PartitionFault::kTotalPartitions;
  if (policy.partition_size <= 0) return PartitionFault::kPartitionSize;
  const int64_t size = policy.partition_size;
  if (policy.total_partitions * size != task.replicas) return PartitionFault::kReplicas;
  if (task.min_available.has_value() && policy.min_partitions > 0 &&
      policy.min_partitions * size != *task.min_available) {
    return PartitionFault::kMinAvailable;
  }
  return PartitionFault::kNone;
}

std::string PartitionText(PartitionFault fault, std::string_view task, std::string_view job) {
  std::string_view what;
  switch (fault) {
    case PartitionFault::kNone:
      return "";
    case PartitionFault::kTotalPartitions:
      what = "'TotalPartitions' must be greater than 0";
      break;
    case PartitionFault::kPartitionSize:
      what = "'PartitionSize' must be greater than 0";
      break;
    case PartitionFault::kReplicas:
      what = "'Replicas' are not equal to TotalPartitions*PartitionSize";
      break;
    case PartitionFault::kMinAvailable:
      what = "'MinAvailable' is not equal to MinPartitions*PartitionSize";
      break;
  }
  return StrCat(what, " in task: ", task, ", job: ", job);
}

std::string_view TierText(const std::optional<types::NetworkTopology>& topology) {
  if (!topology || !topology->highest_tier_allowed || topology->highest_tier_name.empty()) {
    return "";
  }
  return "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology "
         "simultaneously";
}

std::string PartitionPolicyText(const types::BatchTask& task, std::string_view job) {
  if (!task.partition_policy.has_value()) return "";
  return StrCat(PartitionText(CheckPartition(task), task.name, job),
                TierText(task.partition_policy->network_topology));
}

}  // namespace bth::admission
