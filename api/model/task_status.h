// Task status and its groups.
#pragma once

#include <cstdint>
#include <string_view>

namespace bth::model {

// The order and the bit (1 << value) match what extenders see on the wire.
enum class TaskStatus : uint8_t {
  kPending,
  kAllocated,
  kPipelined,
  kBinding,
  kBound,
  kRunning,
  kReleasing,
  kSucceeded,
  kFailed,
  kUnknown,
};
inline constexpr int kTaskStatuses = 10;

constexpr uint32_t StatusBit(TaskStatus s) {
  return 1u << static_cast<int>(s);
}
constexpr bool InGroup(TaskStatus s, uint32_t group) {
  return (StatusBit(s) & group) != 0;
}

// Counted as using its node and its quota.
inline constexpr uint32_t kAllocatedGroup =
    StatusBit(TaskStatus::kBound) | StatusBit(TaskStatus::kBinding) |
    StatusBit(TaskStatus::kRunning) | StatusBit(TaskStatus::kAllocated);
// Allocated or pipelined: event handlers run when a task enters or leaves this group.
inline constexpr uint32_t kOccupyingGroup = kAllocatedGroup | StatusBit(TaskStatus::kPipelined);
inline constexpr uint32_t kScheduledGroup =
    StatusBit(TaskStatus::kRunning) | StatusBit(TaskStatus::kBound) |
    StatusBit(TaskStatus::kFailed) | StatusBit(TaskStatus::kSucceeded);
inline constexpr uint32_t kCompletedGroup =
    StatusBit(TaskStatus::kFailed) | StatusBit(TaskStatus::kSucceeded);
inline constexpr uint32_t kPreemptableGroup =
    StatusBit(TaskStatus::kBound) | StatusBit(TaskStatus::kRunning);
// Holds room on its node now: a releasing pod until it is gone, a pod that its node lost sight of.
inline constexpr uint32_t kOnNodeGroup =
    kAllocatedGroup | StatusBit(TaskStatus::kReleasing) | StatusBit(TaskStatus::kUnknown);

constexpr std::string_view StatusName(TaskStatus s) {
  constexpr std::string_view kNames[] = {"Pending", "Allocated", "Pipelined", "Binding", "Bound",
                                         "Running", "Releasing", "Succeeded", "Failed",  "Unknown"};
  return kNames[static_cast<int>(s)];
}

}  // namespace bth::model
