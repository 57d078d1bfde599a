// v1 Node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/meta.h"

namespace bth::types {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute
  std::optional<absl::Time> time_added;
  bool operator==(const Taint&) const = default;
};

struct NodeImage {
  std::vector<std::string> names;
  int64_t size_bytes = 0;
  bool operator==(const NodeImage&) const = default;
};

struct NodeAddress {
  std::string type;
  std::string address;
  bool operator==(const NodeAddress&) const = default;
};

struct AttachedVolume {
  std::string name;
  std::string device_path;
  bool operator==(const AttachedVolume&) const = default;
};

struct NodeSystemInfo {
  std::string kubelet_version;
  std::string operating_system;
  std::string architecture;
  std::string kernel_version;
  std::string os_image;
  std::string container_runtime_version;
  bool operator==(const NodeSystemInfo&) const = default;
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<Taint> taints;
  std::string provider_id;
  bool operator==(const NodeSpec&) const = default;
};

struct NodeStatus {
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<Condition> conditions;
  std::vector<NodeImage> images;
  std::vector<NodeAddress> addresses;
  std::vector<AttachedVolume> volumes_attached;
  std::vector<std::string> volumes_in_use;
  NodeSystemInfo node_info;
  bool operator==(const NodeStatus&) const = default;
};

struct Node {
  ObjectMeta meta;
  NodeSpec spec;
  NodeStatus status;
  bool operator==(const Node&) const = default;
};

}  // namespace bth::types
