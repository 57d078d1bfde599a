// Which shared devices count, and what they are called.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/model/devices.h"

namespace bth::model {

struct VgpuSettings {
  std::string count = "volcano.sh/vgpu-number";  // Names of resources.
  std::string memory = "volcano.sh/vgpu-memory";
  std::string cores = "volcano.sh/vgpu-cores";
  std::string percentage;     // Empty: there is none.
  int64_t memory_factor = 1;  // MiB that one unit of memory stands for on cards that are cut.
  struct Known {
    std::vector<std::string> models;
    std::shared_ptr<const MigGeometry> geometry;
  };
  std::vector<Known> geometries;
};

struct AscendTemplate {
  std::string name;
  int64_t memory = 0;
  int32_t ai_core = 0;
  int32_t ai_cpu = 0;
  friend bool operator==(const AscendTemplate&, const AscendTemplate&) = default;
};
struct AscendChip {
  std::string word;  // commonWord
  std::string chip_name;
  std::string resource;
  std::string memory_resource;
  int64_t memory_allocatable = 0;
  int64_t memory_capacity = 0;
  int32_t ai_core = 0;
  int32_t ai_cpu = 0;
  std::vector<AscendTemplate> templates;  // By memory.
  std::string cores_resource() const { return resource + "-core"; }
  friend bool operator==(const AscendChip&, const AscendChip&) = default;
};

// As the policy says. Immutable.
struct DeviceSettings {
  static constexpr size_t kExclusiveRulesMax = 64;
  static constexpr size_t kChipsMax = 64;

  bool gpu_memory = false;
  bool gpu_number = false;
  bool vgpu = false;
  bool hami_ascend = false;
  bool mind_cluster = false;
  bool cluster_reports = true;  // ClusterD tells of MindCluster's chips; else each node's plugin.
  VgpuSettings vgpus;
  bool soft_slicing = false;  // hamiVnpuCore.
  std::vector<AscendChip> chips;
  // Labels of which a pod has all.
  std::vector<std::vector<std::pair<std::string, std::string>>> exclusive_rules;

  // The ConfigMap that says what devices are called.
  std::string config_namespace;
  std::string config_name;

  bool any() const { return gpu_memory || gpu_number || vgpu || hami_ascend || mind_cluster; }
  friend bool operator==(const DeviceSettings& a, const DeviceSettings& b);
};

}  // namespace bth::model
