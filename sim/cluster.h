// The objects of a simulated cluster, as an API server would hold them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/types/batch_job.h"
#include "api/types/config_map.h"
#include "api/types/device.h"
#include "api/types/hyper_node.h"
#include "api/types/json.h"
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
#include "cache/cluster/shard_book.h"
#include "cache/intake/compile.h"
#include "cache/routing/router.h"

namespace bth::controllers {
struct JobPlugins;
}

namespace bth::sim {

// Takes manifests in any order and hands them to a mirror in one fixed order, so that the order of
// files and documents changes nothing. Kinds that the engine does not read are checked as far as
// they are known, and counted. Lives as long as its simulation. Thread: one.
class Cluster {
 public:
  // Where time begins when no object is younger.
  static absl::Time Epoch() { return absl::FromUnixSeconds(1'767'225'600); }  // 2026-01-01.

  Cluster();

  // What Add does with an object that is there already.
  enum class Existing { kRefuse, kReplace };
  // One manifest, or a List of them. kInvalidArgument begins with `origin` and names the path of
  // what is wrong. A replaced object keeps its UID and creation time when the manifest has none.
  absl::Status Add(const types::Json& manifest, std::string_view origin, Existing existing);
  // Puts what is new into the mirror. Batch jobs become pod groups and pods as the controllers make
  // them, as far as they are not there. What an API server fills in is filled in here: the
  // queue of the namespace, priorities of priority classes, requests from limits; and, where they
  // are missing, a UID that follows from the order of kinds and names, and `now` as the time of
  // creation.
  absl::Status Flush(absl::Time now, cache::Mirror* mirror);
  // Takes away a `pod`, `podgroup`, `node`, `hypernode`, `queue`, `priorityclass`,
  // `poddisruptionbudget`, `resourcequota`, `resourceclaim`, `resourceslice`, `deviceclass`,
  // `service`, `replicationcontroller`, `replicaset`, `statefulset`, `nodeshard` or `numatopology`
  // by "ns/name" or "name".
  absl::Status Delete(std::string_view kind, const std::string& name, cache::Mirror* mirror);

  // Which NodeShard says what nodes to use: of a dump, unless something else was said.
  const cache::ShardOptions& shard() const { return shard_; }
  void SetShard(cache::ShardOptions shard) { shard_ = std::move(shard); }
  size_t node_shards() const { return shards_.objects.size(); }
  // The latest time that objects speak of, at least Epoch().
  absl::Time LatestTime() const;
  bool IsOurs(const types::Pod& pod) const;
  // Which shared devices count from now on; null: none. Pods and nodes are put again if others did.
  absl::Status CountDevices(std::shared_ptr<const model::DeviceSettings> devices,
                            cache::Mirror* mirror);
  const std::map<std::string, types::Pod>& pods() const { return pods_.objects; }
  const std::map<std::string, types::PodGroup>& pod_groups() const { return groups_.objects; }
  const std::map<std::string, types::Queue>& queues() const { return queues_.objects; }
  // Objects by kind that the engine has no use for.
  const std::map<std::string, int64_t>& unused() const { return unused_; }

  // The answers of the world to decisions; the objects exist.
  absl::Status Run(const std::string& pod, const std::string& node, absl::Time now,
                   cache::Mirror* mirror, const model::DevicePlan* devices = nullptr);
  // Claims are bound to the volumes that were chosen, or to new ones.
  absl::Status BindVolumes(const model::VolumePlan& plan, absl::Time now, cache::Mirror* mirror);
  // Claims have the devices that were chosen, and the pod uses them.
  std::string MakeExtendedClaim(const std::string& pod, const model::ExtendedClaimFacts& extended);
  absl::Status AllocateClaims(const model::ClaimPlan& plan, const std::string& pod, absl::Time now,
                              cache::Mirror* mirror);
  void Vanish(const std::string& pod, cache::Mirror* mirror);
  // Pods whose deletion time has come.
  void VanishDue(absl::Time now, cache::Mirror* mirror);
  absl::Status Update(types::Pod pod, cache::Mirror* mirror);
  absl::Status Update(types::PodGroup group, cache::Mirror* mirror);
  absl::Status Update(types::Queue queue, cache::Mirror* mirror);

 private:
  // Objects of one kind by key, and where those came from that the mirror has not got yet.
  template <typename T>
  struct Kind {
    std::map<std::string, T> objects;
    std::map<std::string, std::string> fresh;
  };
  struct Arrival {
    const types::Json& manifest;
    std::string_view origin;
    Existing existing;
  };

  absl::Status TakeAny(const Arrival& arrival, int depth);
  // The first document of a dump (scheduler/cluster_dump.h).
  absl::Status TakeDumpHeader(const types::Json& manifest);
  absl::Status TakeSharding(const types::Json& sharding);
  absl::Status TakeOne(const Arrival& arrival, std::string_view kind);
  template <typename T>
  absl::Status Take(const Arrival& arrival, Kind<T>* kind);
  template <typename T>
  absl::Status Check(const Arrival& arrival);
  template <typename T>
  absl::Status FlushKind(absl::Time now, Kind<T>* kind, cache::Mirror* mirror);
  template <typename T>
  absl::Time LatestOf(const Kind<T>& kind) const;

  // What the API server and other controllers would fill in.
  template <typename T>
  absl::Status FillIn(T*) const {
    return absl::OkStatus();
  }
  absl::Status FillIn(types::ResourceQuota* quota) const;
  absl::Status FillIn(types::Namespace* ns) const;
  absl::Status FillIn(types::Queue* queue) const;
  absl::Status FillIn(types::Node* node) const;
  absl::Status FillIn(types::PodGroup* group) const;
  absl::Status FillIn(types::Pod* pod) const;
  absl::Status FillIn(types::PersistentVolume* volume) const;      // cluster_storage.cc
  absl::Status FillIn(types::PersistentVolumeClaim* claim) const;  // cluster_storage.cc
  absl::Status GivePriority(types::PodSpec* spec) const;
  // cluster_claims.cc
  // Makes the claims of new pods whose templates are there, as Kubernetes' controller does.
  void MakeClaims();
  void ReleaseClaims(const types::Pod& pod, cache::Mirror* mirror);
  // The object, filled in, goes where the router says.
  template <typename T>
  absl::Status Put(T* object, cache::Mirror* mirror) const {
    if (absl::Status filled = FillIn(object); !filled.ok()) return filled;
    return cache::Router(*mirror, responsibility_).Put(*object);
  }
  // False: there is no such object.
  template <typename T>
  bool Erase(Kind<T>* kind, const std::string& name, cache::Mirror* mirror);
  // cluster_jobs.cc
  void Complete(absl::Time now, types::BatchJob* job);
  absl::Status FlushJobs(absl::Time now);
  absl::Status ExpandJob(const types::BatchJob& job);
  absl::Status MakePodOf(const types::BatchJob& job, const types::BatchTask& task, int32_t index,
                         const controllers::JobPlugins& plugins);
  bool IsTaskReady(const types::BatchJob& job, const std::string& name) const;

  cache::Responsibility responsibility_;
  cache::ShardOptions shard_;
  absl::Time dumped_at_ = Epoch();
  Kind<types::PriorityClass> priorities_;
  Kind<types::PodDisruptionBudget> budgets_;
  Kind<types::ResourceQuota> quotas_;
  Kind<types::Namespace> namespaces_;
  Kind<types::StorageClass> storage_classes_;
  Kind<types::CsiDriver> csi_drivers_;
  Kind<types::CsiNode> csi_nodes_;
  Kind<types::CsiStorageCapacity> capacities_;
  Kind<types::PersistentVolume> volumes_;
  Kind<types::PersistentVolumeClaim> claims_;
  Kind<types::VolumeAttachment> attachments_;
  Kind<types::DeviceClass> device_classes_;
  Kind<types::ResourceSlice> slices_;
  Kind<types::DeviceTaintRule> taint_rules_;
  Kind<types::ResourceClaimTemplate> claim_templates_;
  Kind<types::ResourceClaim> device_claims_;
  Kind<types::Service> services_;
  Kind<types::ReplicationController> controllers_;
  Kind<types::ReplicaSet> replica_sets_;
  Kind<types::StatefulSet> stateful_sets_;
  Kind<types::NodeShard> shards_;
  Kind<types::Queue> queues_;
  Kind<types::Node> nodes_;
  Kind<types::HyperNode> hyper_nodes_;
  Kind<types::Numatopology> numa_reports_;
  Kind<types::ConfigMap> chip_reports_;  // With a label by which schedulers find them.
  Kind<types::BatchJob> jobs_;
  Kind<types::PodGroup> groups_;
  Kind<types::Pod> pods_;
  std::map<std::string, std::string> namespace_queues_;  // Queue by namespace, where one is set.
  std::set<std::string> others_;  // "kind key" of what the engine has no use for.
  std::map<std::string, int64_t> unused_;
  int64_t uids_given_ = 0;
};

}  // namespace bth::sim
