// What the API server tells, put into the mirror.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/hyper_node.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/priority_class.h"
#include "api/types/queue.h"
#include "base/rng.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile.h"
#include "cache/routing/router.h"
#include "client/informer.h"
#include "client/watch_notices.h"
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
  bool shards = false;  // Read NodeShards.
};

// In what form plugins need objects.
struct FeedForm {
  bool documents = false;                                // As JSON too.
  bool numa_reports = false;                             // With reports on CPUs.
  std::shared_ptr<const model::DeviceSettings> devices;  // With shared devices; null: without.
  friend bool operator==(const FeedForm& a, const FeedForm& b);
};

// Where things go.
struct FeedTargets {
  cache::Mirror& mirror;
  ObjectNotices& notices;
  SetAside& set_aside;
  std::function<void()> on_batch;  // Called after each batch of changes is in the mirror.
  std::function<void(const std::string& name)> on_queue_gone;
  // A node was deleted; the report on its CPUs, with that UID, is still there.
  std::function<void(const std::string& node, const std::string& uid)> on_report_orphaned;
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
  // Definitions of deploy/crds that the server lacks: without them nothing can be scheduled.
  std::vector<std::string> MissingDefinitions() const;
  net::Awaitable<absl::Status> WaitForSync(absl::Duration timeout) {
    return informers_.WaitForSync(timeout);
  }
  // A cycle failed with this PodGroup of the mirror, for the reason `what`.
  void SetGroupAside(const client::ObjectKey& key, const std::string& version,
                     std::string_view what);
  // The same of a pod that is a job of its own.
  void SetPodAside(const client::ObjectKey& key, std::string_view what);
  // Says on HyperNodes what of them does not count, as the last snapshot found out.
  void TellHyperNodes();
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
  template <typename T>
  void AddInformer(client::InformerOptions options);
  // ConfigMaps that tell of chips.
  void AddChipSources();
  // Through the router, which says what becomes of each kind. Those of which something else is to
  // be told have their own.
  template <typename T>
  void Put(const T& object);
  void Put(const types::Pod& pod);
  void Put(const types::PodGroup& group);
  void Put(const types::PriorityClass& priority);
  template <typename T>
  void Remove(const client::ObjectKey& key);
  // What else is to go with an object; nothing but for these.
  template <typename T>
  void Forget(cache::Kind<T>, const client::ObjectKey&) {}
  void Forget(cache::Kind<types::PodGroup> kind, const client::ObjectKey& key);
  void Forget(cache::Kind<types::Queue> kind, const client::ObjectKey& key);
  void Forget(cache::Kind<types::Node> kind, const client::ObjectKey& key);
  void Forget(cache::Kind<types::PriorityClass> kind, const client::ObjectKey& key);
  // False: it was refused, which is counted, logged, and told on the object where somebody is to
  // read it.
  template <typename T>
  bool IsUsable(const T& object, const absl::Status& status);
  void Reject(const types::ResourceType& type, const client::ObjectKey& key,
              const absl::Status& status);
  void RejectWithEvent(const types::ResourceType& type, const client::ObjectKey& key,
                       const absl::Status& status);

  client::ApiClient& api_;
  cache::Mirror& mirror_;
  ObjectNotices& notices_;
  SetAside& set_aside_;
  PriorityClassUse classes_;
  const FeedOptions options_;
  cache::Router router_;
  metrics::SchedulerMetrics* const metrics_;
  Rng& rng_;
  const std::function<void()> on_batch_;
  const std::function<void(const std::string&)> on_queue_gone_;
  const std::function<void(const std::string&, const std::string&)> on_report_orphaned_;
  const std::function<void(bool)> on_defect_;
  client::WatchNotices watch_notices_;
  client::InformerSet informers_;
  std::vector<std::unique_ptr<client::InformerBase>> owned_;
  std::vector<std::shared_ptr<void>> handlers_;
  // Whose series are to go: as many as are deleted while one cycle runs.
  std::vector<client::ObjectKey> gone_groups_;
  std::vector<std::string> gone_queues_;
  absl::flat_hash_map<std::string, std::string> rejected_;  // Last message by object, bounded.
};

}  // namespace bth::scheduler
