// What the API server tells, put into the mirror.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/namespace.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "api/types/pod_disruption_budget.h"
#include "api/types/pod_group.h"
#include "api/types/priority_class.h"
#include "api/types/queue.h"
#include "api/types/resource_quota.h"
#include "api/types/service.h"
#include "api/types/storage.h"
#include "api/types/workload.h"
#include "base/rng.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile.h"
#include "client/informer.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/object_notices.h"
#include "scheduler/priority_class_use.h"
#include "scheduler/set_aside.h"

namespace bth::scheduler {

struct FeedOptions {
  cache::Responsibility responsibility;
  // The first lists must show everything written so far, because the mirror has forgotten what was
  // bound; else they may be as old as the server's cache, which costs it less.
  bool newest = false;
};

// Where things go.
struct FeedTargets {
  cache::Mirror& mirror;
  ObjectNotices& notices;
  SetAside& set_aside;
  std::function<void()> on_batch;  // Called after each batch of changes is in the mirror.
  std::function<void(const std::string& name)> on_queue_gone;
  // A defect of ours was found while an object was put or removed. `whole`: the mirror is again as
  // without the object; else only reading the cluster anew makes it right.
  std::function<void(bool whole)> on_defect;
};

// Runs the informers of every kind the scheduler reads. An object that cannot be read or
// understood is counted, told of once, and affects itself alone: its last good state stays. One
// with which a defect of ours is found leaves the mirror, and stays aside until it changes. Thread:
// I/O.
class Feed {
 public:
  Feed(client::ApiClient& api, FeedTargets targets, FeedOptions options,
       metrics::SchedulerMetrics* metrics, Rng& rng);
  ~Feed();

  void Start() { informers_.StartAll(); }
  void Stop() { informers_.StopAll(); }
  bool AllSynced() const { return informers_.AllSynced(); }
  std::vector<std::string> Unsynced() const { return informers_.Unsynced(); }
  net::Awaitable<absl::Status> WaitForSync(absl::Duration timeout) {
    return informers_.WaitForSync(timeout);
  }
  // A cycle failed with this PodGroup of the mirror, for the reason `what`.
  void SetGroupAside(const client::ObjectKey& key, const std::string& version,
                     std::string_view what);
  // Removes the metrics of jobs and queues that are gone. To be called while no cycle runs: one
  // that began before still knows them and would make their series anew.
  void DropSeries();

 private:
  template <typename T>
  class Handler;
  // The barriers: a defect ends the work on the one object.
  template <typename T>
  void Take(const T& object);
  template <typename T>
  void Drop(const client::ObjectKey& key);
  template <typename T>
  void Fail(const client::ObjectKey& key, const std::string& version, const std::exception& error);
  void TellAside(const client::EventObject& object, std::string_view what);
  // `forbidden_is_empty`: one can do without this kind when the role does not allow it.
  template <typename T>
  void Add(bool absent_is_empty, bool forbidden_is_empty = false);
  void Put(const types::Pod& pod);
  void Put(const types::Node& node);
  void Put(const types::PodGroup& group);
  void Put(const types::Queue& queue);
  void Put(const types::PriorityClass& priority);
  void Put(const types::PodDisruptionBudget& budget);
  void Put(const types::ResourceQuota& quota);
  void Put(const types::Namespace& ns);
  // feed_storage.cc
  void Put(const types::PersistentVolumeClaim& object);
  void Put(const types::PersistentVolume& object);
  void Put(const types::StorageClass& object);
  void Put(const types::CsiNode& object);
  void Put(const types::CsiDriver& object);
  void Put(const types::CsiStorageCapacity& object);
  void Put(const types::VolumeAttachment& object);
  // feed_selectors.cc
  void Put(const types::Service& service);
  void Put(const types::ReplicationController& controller);
  void Put(const types::ReplicaSet& set);
  void Put(const types::StatefulSet& set);
  // The null pointer only names the kind.
  void Remove(const types::Pod* kind, const client::ObjectKey& key);
  void Remove(const types::Node* kind, const client::ObjectKey& key);
  void Remove(const types::PodGroup* kind, const client::ObjectKey& key);
  void Remove(const types::Queue* kind, const client::ObjectKey& key);
  void Remove(const types::PriorityClass* kind, const client::ObjectKey& key);
  void Remove(const types::PodDisruptionBudget* kind, const client::ObjectKey& key);
  void Remove(const types::ResourceQuota* kind, const client::ObjectKey& key);
  void Remove(const types::Namespace* kind, const client::ObjectKey& key);
  void Remove(const types::PersistentVolumeClaim* kind, const client::ObjectKey& key);
  void Remove(const types::PersistentVolume* kind, const client::ObjectKey& key);
  void Remove(const types::StorageClass* kind, const client::ObjectKey& key);
  void Remove(const types::CsiNode* kind, const client::ObjectKey& key);
  void Remove(const types::CsiDriver* kind, const client::ObjectKey& key);
  void Remove(const types::CsiStorageCapacity* kind, const client::ObjectKey& key);
  void Remove(const types::VolumeAttachment* kind, const client::ObjectKey& key);
  void Remove(const types::Service* kind, const client::ObjectKey& key);
  void Remove(const types::ReplicationController* kind, const client::ObjectKey& key);
  void Remove(const types::ReplicaSet* kind, const client::ObjectKey& key);
  void Remove(const types::StatefulSet* kind, const client::ObjectKey& key);
  // Counts and logs that the object cannot be used; and tells of it on the object.
  void Reject(const types::ResourceType& type, const client::ObjectKey& key,
              const absl::Status& status);
  void RejectAloud(const types::ResourceType& type, const client::ObjectKey& key,
                   const absl::Status& status);

  client::ApiClient& api_;
  cache::Mirror& mirror_;
  ObjectNotices& notices_;
  SetAside& set_aside_;
  PriorityClassUse classes_;
  const FeedOptions options_;
  metrics::SchedulerMetrics* const metrics_;
  Rng& rng_;
  const std::function<void()> on_batch_;
  const std::function<void(const std::string&)> on_queue_gone_;
  const std::function<void(bool)> on_defect_;
  client::InformerSet informers_;
  std::vector<std::unique_ptr<client::InformerBase>> owned_;
  std::vector<std::shared_ptr<void>> handlers_;
  // Whose series are to go: as many as are deleted while one cycle runs.
  std::vector<client::ObjectKey> gone_groups_;
  std::vector<std::string> gone_queues_;
  absl::flat_hash_map<std::string, std::string> rejected_;  // Last message by object, bounded.
};

}  // namespace bth::scheduler
