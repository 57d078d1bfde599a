// Static filter verdicts and static scores, kept across cycles per (constraints, node facts).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "api/model/snapshot.h"
#include "framework/hooks/hooks.h"

namespace bth::framework {

class Session;

// Per constraints: for each node slot the first static refusal, and the raw static scores.
struct StaticFit {
  std::shared_ptr<const model::PodConstraints> constraints;  // Also proves the slot's identity.
  uint64_t snapshot_generation = 0;                          // Up to date with this snapshot,
  CowVector<model::NodeId, model::NodeRow> nodes;            // of which these are the node rows
  std::shared_ptr<const std::vector<model::ImageSpread>> images;  // and image counts.
  std::vector<ReasonId> refusal;                 // By node index; kFits where none.
  std::vector<std::vector<int64_t>> raw_scores;  // [hook][node].
  std::vector<bool> constant_zero;               // [hook]: all raw scores are 0.
  uint64_t last_used = 0;
};

// Some node, or one of these, passes the static filters for the shape and would have room for it,
// were it empty. Cost: the nodes.
bool FitsSomeEmptyNode(const Session& session, model::ShapeId shape);
bool FitsSomeEmptyNode(const Session& session, model::ShapeId shape,
                       absl::Span<const model::NodeId> of);

// Lives until the policy changes. At most kEntriesMax constraints are kept; the least recently
// used go first, and those that no snapshot has any more. Thread: scheduling.
class StaticFitCache {
 public:
  static constexpr size_t kEntriesMax = 512;
  // So often, in sessions, constraints that are gone are looked for.
  static constexpr uint64_t kSweepEvery = 64;

  // Brought up to date with the session's snapshot. Not to be kept beyond the session, because
  // a later one refreshes it in place. Cost: (changed nodes) x (static hooks).
  std::shared_ptr<const StaticFit> Get(const Session& session, model::ConstraintsId constraints);
  size_t size() const { return entries_.size(); }
  uint64_t evaluations() const { return evaluations_; }

 private:
  void Refresh(const Session& session, StaticFit& fit);
  void EvictOldest();
  void Sweep();

  absl::flat_hash_map<const model::PodConstraints*, std::shared_ptr<StaticFit>> entries_;
  uint64_t clock_ = 0;
  uint64_t generation_ = 0;  // Of the last session's snapshot.
  uint64_t sessions_ = 0;
  uint64_t evaluations_ = 0;
};

}  // namespace bth::framework
