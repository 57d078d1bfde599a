// scheduling.volcano.sh/v1beta1 Queue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/meta.h"

namespace bth::types {

struct NodeGroupRule {
  std::vector<std::string> required;
  std::vector<std::string> preferred;
  bool operator==(const NodeGroupRule&) const = default;
};

struct QueueAffinity {
  std::optional<NodeGroupRule> node_group;
  std::optional<NodeGroupRule> node_group_anti;
  bool operator==(const QueueAffinity&) const = default;
};

struct QueueCluster {
  std::string name;
  int32_t weight = 0;
  ResourceList capacity;
  bool operator==(const QueueCluster&) const = default;
};

struct QueueSpec {
  int32_t weight = 0;
  ResourceList capability;
  ResourceList deserved;
  ResourceList guarantee;           // guarantee.resource
  std::optional<bool> reclaimable;  // absent: true
  int32_t priority = 0;
  std::string parent;
  std::string type;
  std::string dequeue_strategy;  // traverse (also empty), fifo
  std::optional<QueueAffinity> affinity;
  std::vector<QueueCluster> extend_clusters;
  bool operator==(const QueueSpec&) const = default;
};

struct QueueReservation {
  std::vector<std::string> nodes;
  ResourceList resource;
  bool operator==(const QueueReservation&) const = default;
};

struct QueueStatus {
  std::string state;  // Open (also empty), Closing, Closed, Unknown
  ResourceList allocated;
  int32_t unknown = 0;
  int32_t pending = 0;
  int32_t running = 0;
  int32_t inqueue = 0;
  int32_t completed = 0;
  QueueReservation reservation;
  bool operator==(const QueueStatus&) const = default;
};

struct Queue {
  ObjectMeta meta;
  QueueSpec spec;
  QueueStatus status;
  bool operator==(const Queue&) const = default;
};

}  // namespace bth::types
