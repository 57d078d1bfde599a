// Tasks whose pods are divided into partitions. Used by the webhook and by the job controller.
// Pure, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/batch_job.h"

namespace bth::admission {

enum class PartitionFault : uint8_t {
  kNone,
  kTotalPartitions,
  kPartitionSize,
  kReplicas,      // Are not totalPartitions x partitionSize.
  kMinAvailable,  // Is not minPartitions x partitionSize.
};

// The first that is wrong with the task's partition policy; kNone without one.
PartitionFault CheckPartition(const types::BatchTask& task);
// In Volcano's words; empty for kNone.
std::string PartitionText(PartitionFault fault, std::string_view task, std::string_view job);

// Of a topology that names its highest tier in two ways; else empty.
std::string_view TierText(const std::optional<types::NetworkTopology>& topology);

// Both of the above for one task.
std::string PartitionPolicyText(const types::BatchTask& task, std::string_view job);

}  // namespace bth::admission
