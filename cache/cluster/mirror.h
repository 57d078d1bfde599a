// The cluster as the scheduler knows it: fed by informers and by its own decisions, published as
// snapshots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/model/chip_reports.h"
#include "api/model/snapshot.h"
#include "base/clock.h"
#include "cache/cluster/device_claim_mirror.h"
#include "cache/cluster/hyper_node_book.h"
#include "cache/cluster/mirror_views.h"
#include "cache/cluster/numa_book.h"
#include "cache/cluster/selector_book.h"
#include "cache/cluster/shard_book.h"
#include "cache/cluster/storage_mirror.h"
#include "cache/cluster/vocabulary.h"
#include "cache/intake/compile_hyper_node.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

struct Tables;

struct MirrorOptions {
  std::string default_queue = "default";
  ShardOptions shard;
};

// The front of the tables: tells each object to those whose business it is, in order, settles what
// concerns several of them, and publishes what they have drafted.
// Thread: I/O. Cost of each call: the object's own size; of Publish: what changed since the last.
class Mirror {
 public:
  Mirror(const Clock& clock, MirrorOptions options);
  ~Mirror();

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
  void PutHyperNode(CompiledHyperNode hyper_node);
  void RemoveHyperNode(const std::string& name);
  // What was found out about them when the last snapshots were made.
  std::vector<HyperNodeNews> TakeHyperNodeNews();
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
  void PutShard(CompiledShard shard);
  void RemoveShard(const std::string& name);

  // By which settings objects are read for shared devices; null: none count. To be told before the
  // objects are put.
  void CountDevices(std::shared_ptr<const model::DeviceSettings> settings);
  // What a source tells of the chips of nodes, instead of what it told before.
  void PutChips(const std::string& source, std::vector<model::ChipNews> news);
  // As measured last; null: there is no source. Jobs that wait are looked at again.
  void PutLoads(std::shared_ptr<const model::NodeLoads> loads);
  std::vector<std::string> ReadyNodes() const;  // By name.
  // Counts these on nodes though no pod asks for them, from now on instead of those given before;
  // returns the first that finds no room.
  std::optional<std::string> CountResources(const std::vector<std::string>& names);

  // Until the mirror starts over.
  StorageMirror& storage();
  const StorageMirror& storage() const;
  DeviceClaimMirror& device_claims();
  const DeviceClaimMirror& device_claims() const;
  SelectorBook& selectors();
  NumaBook& numa();
  // Our own decisions, until the watch confirms or a failure takes them back. The pod must still
  // be the one with `uid`; kNotFound when it is not, kFailedPrecondition when it moved on, or when
  // the node has no room any more for a binding.
  absl::Status AssumeBinding(const std::string& key, std::string_view uid, const std::string& node,
                             const model::DevicePlan* devices = nullptr);
  absl::Status AssumeEviction(const std::string& key, std::string_view uid);
  // Back to what the last object said. No effect when the pod is gone or confirmed.
  void ForgetAssumption(const std::string& key, std::string_view uid);
  // Room on `node` that evictions make for the pending pod counts as its nomination until the
  // object shows one, this or another; until the pod is bound or gone, or the nomination is
  // forgotten.
  absl::Status AssumeNomination(const std::string& key, std::string_view uid,
                                const std::string& node);
  void ForgetNomination(const std::string& key, std::string_view uid);
  // The pod's scheduling gate is going, until its object says so or the removal failed. False: it
  // is not that pod any more, or has no such gate.
  bool AssumeGateLifted(const std::string& key, std::string_view uid);
  void ForgetGateLifted(const std::string& key, std::string_view uid);
  // A cycle found the PodGroup in this phase, which counts from now on and is told a little later.
  void AssumePhase(const std::string& pod_group_key, model::PodGroupPhase phase);
  // The last cycle found so much allocated: a queue that shows anything else is to be told again.
  void NoteTold(const std::string& queue, const NamedAmounts& allocated);
  // Keeps a job out of cycles for so long; a later call replaces an earlier one, and a PodGroup
  // that is made anew ends it.
  void BackOffJob(const std::string& key, absl::Duration pause);
  bool IsJobBackingOff(const std::string& key) const;
  // Nobody may evict the pod for a while, which is returned: twice as long as the last time.
  absl::Duration SparePod(const std::string& key, std::string_view uid);

  // Since the last Publish: something changed that may let or make a cycle decide differently;
  bool changed() const;
  // something changed that only statuses follow: confirmed bindings, room that nobody waits for.
  bool statuses_changed() const;
  std::shared_ptr<const model::Snapshot> Publish();
  // In how long the earliest backoff of a job or time of a spared pod ends, or, while a job waits,
  // a leaving pod is given up; InfiniteDuration when none.
  absl::Duration UntilNextDeadline() const;

  // What the objects show; null or nothing when unknown.
  // True when the PodGroup is ours to enqueue and to write: a pod of it is ours, or it has none.
  bool OwnsGroup(const std::string& pod_group_key) const;
  std::optional<GangView> Gang(const std::string& pod_group_key) const;
  std::vector<PlacedPod> PlacedPods(const std::string& pod_group_key) const;  // By name.
  // Some pods of the job have a place, whether its PodGroup is there or not.
  bool HoldsPlaces(const std::string& pod_group_key) const;
  std::optional<PlacedTimes> TimesOfPlaced(const std::string& pod_group_key) const;
  // The gang stood with its pods that ended on their nodes.
  bool WasWhole(const std::string& pod_group_key) const;
  // Keys of ours that hold places, below their minimum or without a PodGroup. Cost: all of them.
  std::vector<std::string> HalfBoundGroups() const;
  const CompiledPodGroup* Group(const std::string& pod_group_key) const;  // Null: unknown.
  const ShownPodGroup* ShownOf(const std::string& pod_group_key) const;
  const CompiledQueue* Queue(const std::string& name) const;  // Null: unknown.
  std::string UidOfQueue(const std::string& queue) const;     // Empty: unknown.
  // Any of that name, and only the one with `uid`.
  std::optional<PodView> Pod(const std::string& key) const;
  std::optional<PodView> Pod(const std::string& key, std::string_view uid) const;
  const model::NodeFacts* NodeNamed(const std::string& name) const;
  // What is to be written into the status of our NodeShard; nothing: it shows it, or there is none.
  // To be asked while no session is open, which may use nodes that have left since. Cost: none
  // while nothing has changed.
  std::optional<ShardNews> TakeShardNews();
  bool lacks_shard() const;  // There should be a NodeShard of ours, and there is none.
  size_t nodes_in_shard() const;
  const std::string& shard_name() const { return options_.shard.name; }
  // Pending pods with our scheduler name that no PodGroup claims, by key, at most `max`.
  std::vector<GrouplessPod> PodsWithoutGroup(size_t max) const;
  // What is left with all such pods, as the last snapshot shows their claims.
  std::vector<LeftWithPod> LeftWithoutGroup() const;
  // True when these may be others, or show something else, than at the last call.
  bool TakeGrouplessChanged();
  TableSizes table_sizes() const;
  size_t pods() const;
  size_t nodes() const;
  int64_t rows_rewritten() const;

  // For tests: what the tables say that does not hold, alone or together. Cost: all rows.
  absl::Status Check() const;

 private:
  void SettleDimensions();
  std::optional<PodView> ViewOf(model::TaskId id) const;  // Nothing: the id is invalid.

  const Clock& clock_;
  const MirrorOptions options_;
  Vocabulary vocabulary_;
  std::unique_ptr<Tables> tables_;
  bool shard_untold_ = false;  // What our NodeShard shows may not be so.
};

}  // namespace bth::cache
