// What is told of the chips of nodes beside the nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model/devices.h"

namespace bth::model {

inline constexpr DeviceKind kMindClusterKind{DeviceFamily::kMindCluster, 0};
inline constexpr int32_t kChipNumberMax = 511;

// Of one node. By their numbers, ascending; those that are on neither list are in use, or nobody
// knows.
struct ChipReport {
  std::vector<int32_t> free;    // Healthy, and whole or in parts to be had.
  std::vector<int32_t> broken;  // For nobody, whoever is on them.
  friend bool operator==(const ChipReport&, const ChipReport&) = default;
};

// `devices` of a node, read from its object, with the pool that its layout and the report make;
// without a report, or a layout, there is none. `closed`: its pool takes no further pods.
std::shared_ptr<const NodeDevices> WithChips(std::shared_ptr<const NodeDevices> devices,
                                             const ChipReport* report, bool closed);

// What one source tells: chips, or whether nodes are set apart.
struct ChipNews {
  std::string node;
  int64_t told_at = 0;              // The larger, the later.
  std::optional<ChipReport> chips;  // Nothing: it says nothing of them.
  std::optional<bool> set_apart;    // The same.
  friend bool operator==(const ChipNews&, const ChipNews&) = default;
};

}  // namespace bth::model
