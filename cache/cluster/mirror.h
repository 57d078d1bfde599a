// The cluster as the scheduler knows it: fed by informers and by its own decisions, published as
// snapshots.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "api/model/snapshot.h"
#include "base/clock.h"
#include "cache/cluster/amount_book.h"
#include "cache/cluster/budget_book.h"
#include "cache/cluster/group_parts.h"
#include "cache/cluster/mirror_records.h"
#include "cache/cluster/mirror_views.h"
#include "cache/cluster/peer_book.h"
#include "cache/cluster/pod_index.h"
#include "cache/cluster/queue_book.h"
#include "cache/cluster/selector_book.h"
#include "cache/cluster/shape_book.h"
#include "cache/cluster/slots.h"
#include "cache/cluster/sorted_ids.h"
#include "cache/cluster/storage_mirror.h"
#include "cache/cluster/vocabulary.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

struct MirrorOptions {
  std::string default_queue = "default";
};
// Thread: I/O. Cost of each call: the object's own size; of Publish: what changed since the last.
class Mirror {
 public:
  Mirror(const Clock& clock, MirrorOptions options);

  Vocabulary& vocabulary() { return vocabulary_; }
  // Forgets every object and assumption, for a feed that tells everything anew. Symbols,
  // dimensions and generations go on, because caches of other threads know them.
  void StartOver();

  // kResourceExhausted when a sum could overflow with the object: then it is not to be put.
  absl::Status CanCount(const CompiledPod& pod) const;
  absl::Status CanCount(const CompiledNode& node) const;
  absl::Status CanCount(const CompiledPodGroup& group) const;
  void PutPod(CompiledPod pod);
  void RemovePod(const std::string& key);
  // A pod that another scheduler is to place: all it does here is to tell whose its PodGroup is.
  void NoteForeignPod(const std::string& key, const std::string& job_key);
  void PutNode(CompiledNode node);
  void RemoveNode(const std::string& name);
  void PutPodGroup(CompiledPodGroup group);
  void RemovePodGroup(const std::string& key);
  void PutQueue(CompiledQueue queue);
  void RemoveQueue(const std::string& name);
  void PutPriorityClass(const std::string& name, int32_t value, bool global_default);
  void RemovePriorityClass(const std::string& name);
  void PutBudget(CompiledBudget budget);
  void RemoveBudget(const std::string& key);
  void PutQuota(CompiledQuota quota);
  void RemoveQuota(const std::string& ns, const std::string& name);
  void PutNamespace(const std::string& name, const Labels& labels);
  void RemoveNamespace(const std::string& name);

  // As measured last; null: there is no source. Jobs that wait are looked at again.
  void PutLoads(std::shared_ptr<const model::NodeLoads> loads);
  std::vector<std::string> ReadyNodes() const;  // By name.
  // Counts these on nodes though no pod asks for them, from now on instead of those given before;
  // returns the first that finds no room.
  std::optional<std::string> CountResources(const std::vector<std::string>& names);

  StorageMirror& storage() { return storage_; }
  const StorageMirror& storage() const { return storage_; }
  SelectorBook& selectors() { return selectors_; }
  // Our own decisions, until the watch confirms or a failure takes them back. The pod must still
  // be the one with `uid`; kNotFound when it is not, kFailedPrecondition when it moved on, or when
  // the node has no room any more for a binding.
  absl::Status AssumeBinding(const std::string& key, std::string_view uid, const std::string& node);
  absl::Status AssumeEviction(const std::string& key, std::string_view uid);
  // Back to what the last object said. No effect when the pod is gone or confirmed.
  void ForgetAssumption(const std::string& key, std::string_view uid);
  // Room on `node` that evictions make for the pending pod counts as its nomination until the
  // object shows one, this or another; until the pod is bound or gone, or the promise is forgotten.
  absl::Status AssumeNomination(const std::string& key, std::string_view uid,
                                const std::string& node);
  void ForgetNomination(const std::string& key, std::string_view uid);
  // The pod's scheduling gate is going, until its object says so or the removal failed. False: it
  // is not that pod any more, or has no such gate.
  bool AssumeGateLifted(const std::string& key, std::string_view uid);
  void ForgetGateLifted(const std::string& key, std::string_view uid);
  // A cycle found the PodGroup in this phase, which counts from now on and is told a little later.
  void AssumePhase(const std::string& pod_group_key, model::PodGroupPhase phase);
  // Keeps a job out of cycles until `until`; a later call replaces an earlier one.
  void HoldJob(const std::string& key, absl::Time until);
  // Nobody may evict the pod for a while, which is returned: twice as long as the last time.
  absl::Duration SparePod(const std::string& key, std::string_view uid);

  // Since the last Publish: something changed that may let or make a cycle decide differently;
  bool changed() const;
  // something changed that only statuses follow: confirmed bindings, room that nobody waits for.
  bool statuses_changed() const { return statuses_changed_; }
  std::shared_ptr<const model::Snapshot> Publish();
  // When the earliest pause of a job or spared pod ends, or, while a job waits, a leaving pod is
  // given up; InfiniteFuture when none.
  absl::Time NextHoldEnd() const;

  // What the objects show; null or nothing when unknown.
  // True when the PodGroup is ours to enqueue and to write: a pod of it is ours, or it has none.
  bool OwnsGroup(const std::string& pod_group_key) const;
  std::optional<GangView> Gang(const std::string& pod_group_key) const;
  std::vector<PlacedPod> PlacedPods(const std::string& pod_group_key) const;  // By name.
  std::vector<HalfBoundGroup> HalfBoundGroups() const;  // Of ours, by key. Cost: all of them.
  const ShownPodGroup* ShownOf(const std::string& pod_group_key) const;
  const NamedAmounts* ShownAllocatedOf(const std::string& queue) const;
  std::string UidOfQueue(const std::string& queue) const;  // Empty: unknown.
  std::optional<PodView> Pod(const std::string& key) const;
  const model::NodeFacts* NodeNamed(const std::string& name) const;
  // Pending pods with our scheduler name that no PodGroup claims, by key, at most `max`.
  std::vector<GrouplessPod> PodsWithoutGroup(size_t max) const;
  // True when these may be others, or show something else, than at the last call.
  bool TakeGrouplessChanged() { return std::exchange(groupless_changed_, false); }
  TableSizes table_sizes() const;
  size_t pods() const { return pods_.size(); }
  size_t nodes() const { return nodes_.size(); }
  int64_t rows_rewritten() const { return rows_rewritten_; }

 private:
  // mirror_pods.cc
  model::TaskId Find(const std::string& key, std::string_view uid) const;  // Invalid: none.
  PodIdentity IdentityOf(model::TaskId id) const;
  void SetObjectNode(model::TaskId id, const std::string& node);
  bool SameSpec(model::TaskId id, const CompiledPod& pod) const;
  bool UpdateInPlace(model::TaskId id, const CompiledPod& pod);
  bool UnderWay(model::TaskId id, const CompiledPod& pod) const;
  bool IsStillPromised(model::TaskId id, const CompiledPod& pod) const;
  void Nominate(model::TaskId id, std::string_view node);
  void AddTask(model::TaskId id, const CompiledPod& pod);
  void DropTask(model::TaskId id);
  void SetState(model::TaskId id, const model::TaskState& state);
  void NoteState(const model::TaskState& state);
  void NoteRoom();
  void TrackOnNode(model::TaskId id, const model::TaskState& state, bool on);
  void RefreshPorts(model::NodeId node);
  void TrackVolumes(model::TaskId id, const model::TaskState& state, bool on);
  void RefreshExtras(model::TaskId id, const CompiledPod& pod);
  void NoteIfGroupless(model::TaskId id);
  // mirror_dimensions.cc
  void NoteDemand(model::TaskId id, model::TaskStatus status, const NamedAmounts& requests);
  void SettleDimensions();
  void CountAnew(const std::vector<model::TaskId>& tasks, bool renamed);
  // mirror_jobs.cc
  model::JobId JobOf(const std::string& key);
  void EnterJob(model::TaskId id, model::JobId job, const PodIdentity& pod);
  void LeaveJob(model::TaskId id, model::JobId job);
  std::vector<model::TaskId>::const_iterator PlaceInJob(model::TaskId id,
                                                        const JobRecord& record) const;
  void Regroup(model::JobId job);
  void WriteJobRow(model::JobId job);
  void DropJobIfEmpty(model::JobId job);
  void RefreshPriorities();
  bool IsActive(model::JobId job) const;
  bool Owns(const JobRecord& record) const;
  void ForgetForeignPod(const std::string& key);
  // mirror_nodes.cc
  model::NodeId NodeOf(const std::string& name);
  void WriteNodeRow(model::NodeId node);
  void Mention(model::NodeId node, int32_t sign);
  void DropNodeIfEmpty(model::NodeId node);
  void CountImages(const model::NodeFacts& facts, int32_t sign);
  void CountNode(const CompiledNode& node, int sign);  // mirror_amounts.cc
  // mirror_peers.cc
  void TrackPeers(model::TaskId id, const model::TaskState& state, bool on);
  void Relabel();
  void PublishPeers();
  // mirror_leaving.cc
  model::TaskState ObservedState(model::TaskId id) const;
  void NoteLeaving(model::TaskId id);
  void GiveUpLeaving();
  // mirror_spreads.cc
  void EnterDefaultSpread(model::TaskId id, const CompiledPod& pod);
  bool TakeDefaultSpread(model::TaskId id, const PodIdentity& pod);
  void DropDefaultSpread(model::TaskId id);
  void PublishSpreads();
  // mirror_publish.cc
  void PublishNodes();
  void PublishJobs();
  void PublishChanges();
  void PublishBudgets();  // mirror_budgets.cc
  void EndSpares();       // mirror_refusals.cc
  void Touch(model::JobId job);
  // The row of a task, to be changed: its job changes with it.
  model::TaskRow& ChangeRow(model::TaskId id);

  const Clock* clock_;
  MirrorOptions options_;
  Vocabulary vocabulary_;
  model::Snapshot now_;
  bool changed_ = false;
  bool statuses_changed_ = false;
  int64_t rows_rewritten_ = 0;

  PodIndex pods_;
  IdVector<model::TaskId, PodRecord> pod_records_;
  Slots<model::TaskId> task_slots_;
  absl::flat_hash_map<std::string, model::NodeId> nodes_;
  IdVector<model::NodeId, NodeRecord> node_records_;
  Slots<model::NodeId> node_slots_;
  SortedIds<model::NodeId> ready_nodes_;  // By name.
  absl::flat_hash_map<Symbol, int32_t> image_nodes_;
  bool images_dirty_ = true;

  absl::flat_hash_map<std::string, model::JobId> jobs_;
  IdVector<model::JobId, JobRecord> job_records_;
  Slots<model::JobId> job_slots_;
  GroupParts parts_;
  absl::flat_hash_set<model::JobId> dirty_jobs_;
  std::vector<model::JobId> changed_jobs_;  // Since the last Publish; some more than once.
  SortedIds<model::JobId> all_;             // With a PodGroup and a queue.
  SortedIds<model::JobId> active_;          // Of these, the ones with something to do.
  SortedIds<model::JobId> without_queue_;   // With a PodGroup whose queue does not exist.
  absl::flat_hash_set<model::JobId> held_;
  absl::flat_hash_map<std::string, SparedPod> spared_;   // By pod.
  std::set<std::pair<int64_t, model::TaskId>> leaving_;  // By PodRecord::given_up_us.
  absl::flat_hash_set<model::JobId> without_group_;      // Known by their pods only.
  absl::flat_hash_set<model::TaskId> without_job_;       // Ours, with no group annotation.
  bool groupless_changed_ = false;                       // About a pod of one of the two.
  // Waiting pods of other schedulers: the PodGroup that each names, and their number.
  absl::flat_hash_map<std::string, std::string> foreign_pods_;
  absl::flat_hash_map<std::string, int32_t> foreign_waiting_;
  StorageMirror storage_;
  absl::flat_hash_set<model::TaskId> waiting_with_volumes_;  // Ours.
  ShapeBook shapes_;
  QueueBook queues_;
  BudgetBook budgets_;
  AmountBooks amounts_;
  PeerBook peers_;
  SelectorBook selectors_;
  absl::flat_hash_map<std::string, PriorityClass> priority_classes_;
  int32_t default_priority_ = 0;
};

}  // namespace bth::cache
