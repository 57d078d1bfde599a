// The table of kinds: what becomes of an object of each, for whoever has objects.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/config_map.h"
#include "api/types/device.h"
#include "api/types/hyper_node.h"
#include "api/types/namespace.h"
#include "api/types/node.h"
#include "api/types/node_shard.h"
#include "api/types/numa_topology.h"
#include "api/types/pod.h"
#include "api/types/pod_disruption_budget.h"
#include "api/types/pod_group.h"
#include "api/types/priority_class.h"
#include "api/types/queue.h"
#include "api/types/resource_claim.h"
#include "api/types/resource_quota.h"
#include "api/types/service.h"
#include "api/types/storage.h"
#include "api/types/workload.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Names a kind.
template <typename T>
struct Kind {};

struct ObjectName {
  std::string ns;  // Empty: the kind has none.
  std::string name;
};

// Each kind is compiled, found countable and put, or refused with the field that is wrong: then the
// mirror keeps what it has of the object. Thread: I/O.
class Router {
 public:
  // Both outlive it.
  Router(Mirror& mirror, const Responsibility& responsibility)
      : mirror_(mirror), responsibility_(responsibility) {}

  // Where somebody else looks at it in between. kInvalidArgument: it cannot be understood;
  // kResourceExhausted: a sum could overflow with it.
  absl::StatusOr<CompiledPod> Read(const types::Pod& pod) const;
  absl::StatusOr<CompiledPodGroup> Read(const types::PodGroup& group) const;
  void Take(CompiledPod pod);
  void Take(CompiledPodGroup group) { mirror_.PutPodGroup(std::move(group)); }

  absl::Status Put(const types::Pod& pod);
  absl::Status Put(const types::PodGroup& group);
  // One that is not ours is as if it were not there; pods on it keep their place in the accounts of
  // their jobs and queues.
  absl::Status Put(const types::Node& node);
  absl::Status Put(const types::HyperNode& hyper_node);
  absl::Status Put(const types::Numatopology& report);
  absl::Status Put(const types::Queue& queue);
  absl::Status Put(const types::PriorityClass& priority);
  absl::Status Put(const types::PodDisruptionBudget& budget);
  absl::Status Put(const types::ResourceQuota& quota);
  absl::Status Put(const types::Namespace& ns);
  absl::Status Put(const types::StorageClass& object);
  absl::Status Put(const types::CsiDriver& object);
  absl::Status Put(const types::CsiNode& object);
  absl::Status Put(const types::CsiStorageCapacity& object);
  absl::Status Put(const types::PersistentVolume& object);
  absl::Status Put(const types::PersistentVolumeClaim& object);
  absl::Status Put(const types::VolumeAttachment& object);
  absl::Status Put(const types::DeviceClass& object);
  absl::Status Put(const types::ResourceSlice& object);
  absl::Status Put(const types::ResourceClaim& object);
  absl::Status Put(const types::DeviceTaintRule& object);
  absl::Status Put(const types::Service& service);
  absl::Status Put(const types::ReplicationController& controller);
  absl::Status Put(const types::ReplicaSet& set);
  absl::Status Put(const types::StatefulSet& set);
  absl::Status Put(const types::NodeShard& shard);
  // Those that tell of chips.
  absl::Status Put(const types::ConfigMap& object);

  void Remove(Kind<types::Pod>, const ObjectName& object);
  void Remove(Kind<types::PodGroup>, const ObjectName& object);
  void Remove(Kind<types::Node>, const ObjectName& object);
  void Remove(Kind<types::HyperNode>, const ObjectName& object);
  void Remove(Kind<types::Numatopology>, const ObjectName& object);
  void Remove(Kind<types::Queue>, const ObjectName& object);
  void Remove(Kind<types::PriorityClass>, const ObjectName& object);
  void Remove(Kind<types::PodDisruptionBudget>, const ObjectName& object);
  void Remove(Kind<types::ResourceQuota>, const ObjectName& object);
  void Remove(Kind<types::Namespace>, const ObjectName& object);
  void Remove(Kind<types::StorageClass>, const ObjectName& object);
  void Remove(Kind<types::CsiDriver>, const ObjectName& object);
  void Remove(Kind<types::CsiNode>, const ObjectName& object);
  void Remove(Kind<types::CsiStorageCapacity>, const ObjectName& object);
  void Remove(Kind<types::PersistentVolume>, const ObjectName& object);
  void Remove(Kind<types::PersistentVolumeClaim>, const ObjectName& object);
  void Remove(Kind<types::VolumeAttachment>, const ObjectName& object);
  void Remove(Kind<types::DeviceClass>, const ObjectName& object);
  void Remove(Kind<types::ResourceSlice>, const ObjectName& object);
  void Remove(Kind<types::ResourceClaim>, const ObjectName& object);
  void Remove(Kind<types::DeviceTaintRule>, const ObjectName& object);
  void Remove(Kind<types::Service>, const ObjectName& object);
  void Remove(Kind<types::ReplicationController>, const ObjectName& object);
  void Remove(Kind<types::ReplicaSet>, const ObjectName& object);
  void Remove(Kind<types::StatefulSet>, const ObjectName& object);
  void Remove(Kind<types::NodeShard>, const ObjectName& object);
  void Remove(Kind<types::ConfigMap>, const ObjectName& object);

  // Whether it is told on the object that it cannot be used for that reason: of pods that cannot be
  // understood, on ours.
  bool IsTold(const types::Pod& pod, const absl::Status& status) const;
  template <typename T>
  bool IsTold(const T&, const absl::Status&) const {
    return kIsTold<T>;
  }
  // The same for an object of which no more is known than its name. Whose business such a pod is
  // nobody knows; the other kinds are never refused.
  template <typename T>
  static constexpr bool kIsTold =
      std::is_same_v<T, types::Node> || std::is_same_v<T, types::PodGroup> ||
      std::is_same_v<T, types::Queue> || std::is_same_v<T, types::HyperNode>;

 private:
  void PutSingle(CompiledPod pod);
  Interner& symbols() { return mirror_.vocabulary().symbols(); }

  Mirror& mirror_;
  const Responsibility& responsibility_;
};

}  // namespace bth::cache
