// scheduling.volcano.sh/v1beta1 PodGroup: the pods that start together or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/meta.h"
#include "api/types/selector.h"

namespace bth::types {

struct NetworkTopology {
  std::string mode;  // hard (also empty), soft
  std::optional<int64_t> highest_tier_allowed;
  std::string highest_tier_name;
  bool operator==(const NetworkTopology&) const = default;
};

struct SubGroupPolicy {
  std::string name;
  std::optional<NetworkTopology> network_topology;
  std::optional<int32_t> sub_group_size;  // absent: 1
  std::optional<int32_t> min_sub_groups;  // absent: 0
  std::optional<LabelSelector> label_selector;
  std::vector<std::string> match_label_keys;
  bool operator==(const SubGroupPolicy&) const = default;
};

struct PodGroupSpec {
  int32_t min_member = 0;
  SortedMap<int32_t> min_task_member;
  std::string queue;
  std::string priority_class_name;
  ResourceList min_resources;
  std::optional<NetworkTopology> network_topology;
  std::vector<SubGroupPolicy> sub_group_policy;
  bool operator==(const PodGroupSpec&) const = default;
};

struct PodGroupStatus {
  std::string phase;  // Pending (also empty), Inqueue, Running, Unknown, Completed
  std::vector<Condition> conditions;
  int32_t running = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  bool operator==(const PodGroupStatus&) const = default;
};

struct PodGroup {
  ObjectMeta meta;
  PodGroupSpec spec;
  PodGroupStatus status;
  bool operator==(const PodGroup&) const = default;
};

}  // namespace bth::types
