// Workload controllers, as far as their metadata, selectors and sizes matter: ReplicaSet,
// StatefulSet, ReplicationController, Deployment, DaemonSet and the Job of Kubernetes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/types/meta.h"
#include "api/types/selector.h"

namespace bth::types {

struct Workload {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
  std::optional<int32_t> replicas;
  std::string update_revision;  // status.updateRevision, of StatefulSets
  bool operator==(const Workload&) const = default;
};

// Distinct types, because each is a kind with a path of its own.
struct ReplicaSet : Workload {
  bool operator==(const ReplicaSet&) const = default;
};
struct StatefulSet : Workload {
  bool operator==(const StatefulSet&) const = default;
};
struct Deployment : Workload {
  bool operator==(const Deployment&) const = default;
};
struct DaemonSet : Workload {
  bool operator==(const DaemonSet&) const = default;
};

// batch/v1 Job, which is not our batch job.
struct KubeJob {
  ObjectMeta meta;
  bool operator==(const KubeJob&) const = default;
};

struct ReplicationController {
  ObjectMeta meta;
  LabelMap selector;
  std::optional<int32_t> replicas;
  bool operator==(const ReplicationController&) const = default;
};

}  // namespace bth::types
