// The best node of a shape by asking about every node.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "framework/nodes/node_evaluator.h"
#include "framework/nodes/ranked_node.h"
#include "framework/session/session.h"

namespace bth::framework {

// Allocates nothing after the first call. Lives for one session.
// Thread: scheduling.
class NodeScan {
 public:
  NodeScan(Session& session, NodeEvaluator& evaluator);

  // The feasible node with the highest score, the first by name among equals; invalid when none.
  model::NodeId Best(model::ShapeId shape, NodeClass wanted);

 private:
  // What is known of a run of nodes.
  struct Slot {
    std::array<uint8_t, NodeEvaluator::kRunNodesMax> feasible;
    bool any = false;
    RankedNode best;
  };

  void Filter(size_t run, model::ShapeId shape, const StaticFit& fit, NodeClass wanted);
  void Rank(size_t run, model::ShapeId shape, const ScoreBasis& basis);
  void RaiseMaxima(const StaticFit& fit);

  Session& session_;
  NodeEvaluator& evaluator_;
  uint64_t passes_ = 0;
  std::vector<Slot> slots_;
  std::vector<int64_t> maxima_;  // Per static score hook, over feasible nodes.
};

}  // namespace bth::framework
