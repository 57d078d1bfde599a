// Claims of pods against volumes, as the session goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/model/storage_view.h"
#include "framework/session/session.h"
#include "plugins/predicates/volume_choice.h"
#include "plugins/predicates/volume_scores.h"

namespace bth::plugins::predicates {

// Which volumes the pods placed in this session are given; what one holds, no other gets. Lives for
// one session. Thread: Place and Remove on the scheduling thread, the rest on any while it waits.
class VolumeBook {
 public:
  VolumeBook(const framework::Session& session, absl::Duration bind_timeout);
  ~VolumeBook();

  // Why the pod's claims keep it off all nodes; empty: they do not.
  std::string WhyNowhere(model::TaskId task) const;
  ClaimFit Fit(model::TaskId task, model::NodeId node) const;
  // Of a node that fits: how little of the room for volumes the pod would use there, 0 to 100.
  int64_t ScoreOf(model::TaskId task, model::NodeId node, const ScoreShape& shape) const;
  // The pod has claims whose volumes are chosen with the node.
  bool ChoosesVolumes(model::TaskId task) const;

  // Of a task with volumes, as things stand; good until the book changes.
  const PodClaims& ClaimsOf(model::TaskId task) const;

  // Chooses and holds volumes for a task placed on `node`; Remove gives them back.
  void Place(model::TaskId task, model::NodeId node);
  void Remove(model::TaskId task);
  // Null: the task's claims need nothing.
  std::shared_ptr<const model::VolumePlan> PlanOf(model::TaskId task) const;

  // Equal digests mean equal books.
  uint64_t DigestOf() const;

 private:
  // What tasks of this session made of a claim.
  struct Hold {
    const model::VolumeFacts* volume = nullptr;  // Null: one is to be made for `node`.
    model::NodeId node;
    int32_t tasks = 0;
  };
  struct Resolved;

  const model::PodVolumes* VolumesOf(model::TaskId task) const;
  void AddPending(const model::ClaimFacts& claim, PodClaims* out) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const framework::Session& session_;
  const model::StorageView& view_;
  const absl::Duration bind_timeout_;
  uint64_t version_ = 1;  // Of what is held.
  absl::flat_hash_map<const model::ClaimFacts*, Hold> holds_;
  TakenVolumes taken_;
  absl::flat_hash_map<model::TaskId, ChosenVolumes> placed_;
  mutable absl::Mutex mutex_;  // Workers may be the first to ask about a pod.
  mutable VolumeLists lists_ ABSL_GUARDED_BY(mutex_);
  mutable absl::flat_hash_map<model::ConstraintsId, std::unique_ptr<Resolved>> resolved_
      ABSL_GUARDED_BY(mutex_);
};

// The picture of the session's snapshot, or an empty one.
const model::StorageView& StorageOf(const model::Snapshot& base);

}  // namespace bth::plugins::predicates
