// Which volumes the pods of each node use, as the session goes on.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "api/model/storage_view.h"
#include "framework/session/session.h"

namespace bth::plugins::predicates {

// Starts from the snapshot and notes only what was placed or evicted. Lives for one session.
// Thread: Place and Remove on the scheduling thread, the rest on any while it waits.
class NodeVolumes {
 public:
  explicit NodeVolumes(const framework::Session& session);

  void Place(model::TaskId task, model::NodeId node);
  // The task leaves `node`.
  void Remove(model::TaskId task, model::NodeId node);

  // The node's CSI drivers can attach what the pod needs beside what they have attached. Cost: the
  // number of the node's volumes, only where they could come near a limit.
  bool WithinLimits(model::TaskId task, model::NodeId node) const;
  // A disk that the pod names itself is in use there, and not only to be read.
  bool DisksClash(model::TaskId task, model::NodeId node) const;
  // One of these claims, which one pod may use at a time, is used, wherever that is.
  bool AnyInUse(const std::vector<const model::ClaimFacts*>& exclusive) const;

 private:
  // Driver, handle, and whether it is the name of a claim that has no volume yet.
  using Attached = std::tuple<std::string_view, std::string_view, bool>;
  using AttachedSet = absl::flat_hash_set<Attached>;

  const model::PodVolumes* VolumesOf(model::TaskId task) const;
  template <typename Visit>
  void VisitTasks(model::NodeId node, const Visit& visit) const;
  void AddAttached(const model::PodVolumes& volumes, const model::CsiNodeFacts& node,
                   AttachedSet* out) const;
  void AddClaim(const model::ClaimFacts& claim, const model::CsiNodeFacts& node,
                AttachedSet* out) const;
  bool MayReachLimit(const model::PodVolumes& volumes, const model::CsiNodeFacts& csi,
                     model::NodeId node) const;
  const model::CsiNodeFacts* CsiOf(model::NodeId node) const;
  void CountExclusive(const model::PodVolumes& volumes, int32_t sign) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const framework::Session& session_;
  const model::StorageView& view_;
  // In this session.
  absl::flat_hash_map<model::NodeId, std::vector<model::TaskId>> placed_on_;
  absl::flat_hash_set<model::TaskId> removed_;  // From where the snapshot has them.
  mutable absl::Mutex mutex_;                   // Workers may be the first to ask.
  // By node index; made when the first pod asks.
  mutable std::vector<const model::CsiNodeFacts*> csi_ ABSL_GUARDED_BY(mutex_);
  mutable bool users_known_ ABSL_GUARDED_BY(mutex_) = false;
  mutable absl::flat_hash_map<const model::ClaimFacts*, int32_t> users_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace bth::plugins::predicates
