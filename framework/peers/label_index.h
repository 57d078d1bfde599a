// Which of a snapshot's pod labels hold a pair, whether such pods stand anywhere, and which of a
// session's moves are theirs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "api/model/snapshot.h"
#include "framework/session/session.h"

namespace bth::framework {

// So that a question about few pods does not look at those of others. Lives across sessions.
// Thread: scheduling.
class LabelIndex {
 public:
  // Labels of pods of one namespace, with one pair.
  using Anchor = std::pair<Symbol, model::LabelPair>;
  using Ids = absl::flat_hash_set<model::LabelsId>;

  // Cost: the labels and the pods on nodes that changed since the last session, and the moves since
  // the last call.
  void CatchUp(const Session& session, uint64_t serial);
  // Unless it was in use in the session `serial` or later; it would keep old snapshots alive.
  void ForgetBefore(uint64_t serial);

  // All labels that hold the anchor.
  const Ids& Holding(const Anchor& anchor) const;
  // Of those that hold all of the anchors, and others; at least one anchor.
  const Ids& HoldingFewest(absl::Span<const Anchor> anchors) const;
  // In the snapshot, some pod with these labels stands on a node.
  bool Stands(model::LabelsId labels) const { return rows_.Contains(labels) && rows_[labels] > 0; }
  // Calls visit(move) for moves of pods with these labels, the latest first, back to the one with
  // the index `first`.
  template <typename Visit>
  void ForEachMove(const Session& session, model::LabelsId labels, size_t first,
                   const Visit& visit) const {
    size_t next = last_.Contains(labels) ? last_[labels] : 0;
    for (; next > first; next = before_[next - 1])
      visit(session.placements().pod_moves()[next - 1]);
  }

 private:
  void RefreshLabels(const model::Snapshot& snapshot);
  void RefreshRows(const model::Snapshot& snapshot);
  void CountRows(const model::PodsOnNode& pods, int32_t sign);
  void Enter(model::LabelsId id, const model::PodLabels& labels);
  void Leave(model::LabelsId id, const model::PodLabels& labels);

  uint64_t serial_ = 0;
  decltype(model::Snapshot::labels) labels_;  // What `holding_` is up to date with.
  absl::flat_hash_map<Anchor, Ids> holding_;
  decltype(model::Snapshot::pods_on_nodes) pods_on_nodes_;  // What `rows_` is.
  IdVector<model::LabelsId, int32_t> rows_;                 // Of nodes, with these labels.
  // One more than the index of a move; 0: none.
  IdVector<model::LabelsId, uint32_t> last_;  // Of pods with these labels.
  std::vector<uint32_t> before_;              // By move: the one before with the same labels.
};

}  // namespace bth::framework
