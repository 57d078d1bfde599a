// Accelerators that several pods may share: what nodes have, what pods ask for and hold.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "api/model/ids.h"

namespace bth::model {

enum class DeviceFamily : uint8_t { kGpuShare, kVgpu, kMindCluster, kHamiAscend };

// Devices that count together on a node: those of a family; of HAMi's Ascend cards those of one
// chip, by its number among the settings.
struct DeviceKind {
  DeviceFamily family = DeviceFamily::kVgpu;
  uint8_t number = 0;
  friend auto operator<=>(const DeviceKind&, const DeviceKind&) = default;
};

// One way to cut a card: instances that are there at the same time.
struct MigInstance {
  std::string name;
  int64_t memory = 0;
  int32_t count = 0;
  friend bool operator==(const MigInstance&, const MigInstance&) = default;
};
struct MigGroup {
  std::string name;
  std::vector<MigInstance> instances;  // In the order of the settings.
  friend bool operator==(const MigGroup&, const MigGroup&) = default;
};
using MigGeometry = std::vector<MigGroup>;

struct Device {
  std::string id;  // As annotations of pods name it.
  std::string type;
  std::string network;  // Cards of one network reach each other faster; empty: nobody says.
  int32_t slots = 0;    // How many containers may share it.
  int64_t memory = 0;   // In the unit of its family, mostly MiB.
  int32_t cores = 0;    // Percent, or cores of its kind.
  bool offered = true;  // Else nobody comes to it but beside those whom we know on it.
  friend bool operator==(const Device&, const Device&) = default;
};

struct DevicePool {
  DeviceKind kind;
  bool soft = false;                            // Slices by software, on cards that need it.
  bool closed = false;                          // Takes no further pods.
  std::shared_ptr<const MigGeometry> geometry;  // Null: cards are not cut.
  std::vector<Device> devices;                  // By their numbers.
  friend bool operator==(const DevicePool& a, const DevicePool& b);
};

// Whoever took a lock of a node and does not give it back has it for so long.
inline constexpr absl::Duration kNodeLockLasts = absl::Minutes(5);

// An annotation by which schedulers and device plugins take turns on a node.
struct NodeLock {
  std::string name;
  std::optional<int64_t> since_us;  // Nothing: its time cannot be read.
  friend bool operator==(const NodeLock&, const NodeLock&) = default;
};

// Chips of a node that are alike; which of them there are is told beside the node.
struct ChipLayout {
  int32_t chips = 0;  // 0: none of the kind.
  int32_t cores = 0;  // Of each.
  int32_t cpus = 0;
  friend bool operator==(const ChipLayout&, const ChipLayout&) = default;
};

// Of one node; immutable.
struct NodeDevices {
  std::vector<DevicePool> pools;  // By kind, each once.
  ChipLayout layout;              // As WithChips reads it (api/model/chip_reports.h).
  std::vector<NodeLock> locks;
  const DevicePool* Find(DeviceKind kind) const;
  const NodeLock* FindLock(std::string_view name) const;
  friend bool operator==(const NodeDevices&, const NodeDevices&) = default;
};

// What one container asks for; HAMi has it under this name.
struct ContainerDeviceRequest {
  int32_t count = 0;
  int64_t memory = 0;              // Of each device,
  std::optional<int32_t> percent;  // or this share of its memory.
  int32_t cores = 0;
  friend bool operator==(const ContainerDeviceRequest&, const ContainerDeviceRequest&) = default;
};

// What a pod asks of one kind of shared devices. Not a request of a device claim (DRA), which is a
// DeviceRequestFacts (api/model/device_claims.h).
struct PodDeviceRequest {
  DeviceKind kind;
  std::vector<ContainerDeviceRequest> containers;  // Of those that ask, in the order of the pod.
  std::optional<std::string> mode;    // How it wants to share; nothing: as the node does.
  std::vector<std::string> only_ids;  // Empty: any.
  std::vector<std::string> never_ids;
  std::optional<std::vector<std::string>> only_types;  // In capitals; part of the type's name.
  std::vector<std::string> never_types;                // Read when there are no others.
  std::optional<std::string> apart_from;               // Not beside other pods of this group.
  bool high = false;                                   // Rather the large ones of its templates.
  std::string only_ids_text;                           // As the pod says it, for messages.
  std::string never_ids_text;
};

// Part of a pod's constraints; immutable.
struct PodDeviceRequests {
  std::vector<PodDeviceRequest> requests;  // By kind, each once.
  uint64_t rules = 0;                      // Exclusive rules that it matches, one bit each.
};

// Something that a pod holds.
struct HeldDevice {
  std::string id;         // Of a device; with what its family adds.
  int32_t container = 0;  // Among those that ask.
  int64_t memory = 0;
  int32_t cores = 0;
  std::string detail;  // What its family says beside,
  int32_t mark = 0;    // and what it counts by.
  friend bool operator==(const HeldDevice&, const HeldDevice&) = default;
};
struct HeldDevices {
  DeviceKind kind;
  std::vector<HeldDevice> devices;
  friend bool operator==(const HeldDevices&, const HeldDevices&) = default;
};

// Of one pod; immutable.
struct PodDevices {
  std::vector<HeldDevices> held;  // By kind, each once.
  std::string group;              // "<namespace>/<pod group>"; empty: none.
  uint64_t rules = 0;
  friend bool operator==(const PodDevices&, const PodDevices&) = default;
};

// A pod that holds devices of its node.
struct DeviceHolder {
  TaskId task;
  bool leaving = false;
  std::shared_ptr<const PodDevices> devices;
};
using DeviceHolders = std::vector<DeviceHolder>;  // By task.

// What the binding of a pod says of its devices. Immutable.
struct DevicePlan {
  std::shared_ptr<const PodDevices> held;  // Null: it was placed though it cannot have any.
  std::vector<std::pair<std::string, std::string>> annotations;  // Of the pod.
  std::vector<std::string> locks;                                // Of the node, to be taken first.
};

struct DeviceSettings;  // api/model/device_settings.h

// Why the node cannot give what `wanted` names beside what `holders` have; empty: it can. What
// families know beside slots, memory and cores is theirs to look at.
std::string WhyNotFree(const NodeDevices& node, const DeviceHolders* holders,
                       const PodDevices& wanted);
// The number of the device that an annotation names, alone or followed by '[…]'; -1: none.
int32_t FindDevice(const DevicePool& pool, std::string_view id);

}  // namespace bth::model
