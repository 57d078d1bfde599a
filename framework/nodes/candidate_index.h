// The best node of a kind of task in O(log nodes), kept up to date by node changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "api/model/ids.h"
#include "framework/nodes/node_evaluator.h"
#include "framework/nodes/score_forest.h"
#include "framework/nodes/static_fit.h"

namespace bth::framework {

class Session;

// Tasks that the index cannot tell apart. The queue is invalid where no hook asks for it.
using TaskKind = std::pair<model::ShapeId, model::QueueId>;

// What an index is about, beside the shape of its task.
struct IndexScope {
  bool by_queue = false;  // Hooks that go by the queue concern it.
  ShardPart part = ShardPart::kAll;
};

// Tournament trees over the nodes in name order, keyed by total score; nodes of
// another part, and those that cannot take tasks of the kind with their present idle room, are out.
// Lives for one session. Thread: scheduling.
class CandidateIndex {
 public:
  // For the kind of `task`.
  CandidateIndex(Session& session, NodeEvaluator& evaluator, model::TaskId task, IndexScope scope);
  // With a tree for each segment of the ready nodes, given by name.
  CandidateIndex(Session& session, NodeEvaluator& evaluator, model::TaskId task, ShardPart part,
                 absl::Span<const uint32_t> segments);

  // Re-evaluates the nodes changed since the last call; rebuilds when that is cheaper or when a
  // normalisation maximum moved.
  void CatchUp();
  // Positions are those by name.
  const ScoreForest& forest() const { return forest_; }
  ScoreForest& forest() { return forest_; }

  // The node with the highest score, the first by name among equals; invalid when none. For an
  // index of one tree, as the next.
  model::NodeId Best();
  // The best of the nodes that pass what the index knows nothing of; nothing after kTriesMax
  // refusals. Only where no score is normalised: over fewer nodes it would be another one.
  std::optional<model::NodeId> BestPassing(absl::FunctionRef<bool(model::NodeId)> passes);
  bool normalises() const { return normalises_; }
  uint64_t rebuilds() const { return rebuilds_; }

 private:
  // Beyond that, asking all nodes at once is cheaper.
  static constexpr size_t kTriesMax = 128;

  CandidateIndex(Session& session, NodeEvaluator& evaluator, model::TaskId task, IndexScope scope,
                 ScoreForest forest);
  void Rebuild();
  bool Feasible(model::NodeRange run, absl::Span<uint8_t> out) const;
  // Those of the nodes that are feasible; the others' are of no meaning.
  void Score(const ScoreBasis& basis, model::NodeRange run, absl::Span<const uint8_t> feasible,
             absl::Span<double> out) const;
  // False when a normalisation maximum moved, so that every key is stale.
  bool Update(model::NodeId node);
  // Of the node with the highest key, the first by name among equals.
  size_t BestPosition() const { return forest_.FirstReaching(0, 0, 0, forest_.best()); }
  void CountMaxima(model::NodeId node);
  bool KeepsMaxima(model::NodeId node, bool was_feasible, bool is_feasible);

  Session& session_;
  NodeEvaluator& evaluator_;
  const model::TaskId task_;  // Stands for all of its kind.
  const model::ShapeId shape_;
  const IndexScope scope_;
  const std::shared_ptr<const StaticFit> static_fit_;
  std::vector<int64_t> maxima_;  // Per static score hook, over feasible nodes.
  std::vector<int32_t> holders_of_maximum_;
  ScoreForest forest_;
  size_t changes_seen_ = 0;
  uint64_t rebuilds_ = 0;
  bool normalises_ = false;
  std::vector<std::pair<size_t, double>> hidden_;  // Positions and keys of refused nodes.
};

}  // namespace bth::framework
