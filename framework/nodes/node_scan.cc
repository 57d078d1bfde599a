#include "framework/nodes/node_scan.h"

#include <algorithm>
#include <optional>

#include "framework/session/stage_clock.h"

namespace bth::framework {

using model::NodeId;
using model::NodeRange;
using model::ShapeId;

namespace {

// Filters and scores of a run of nodes go together, which spares a pass; one in so many, the first
// of each session among them, is made in two passes that are timed.
constexpr uint64_t kTimedEvery = 16;

}  // namespace

NodeScan::NodeScan(Session& session, NodeEvaluator& evaluator)
    : session_(session), evaluator_(evaluator) {}

NodeId NodeScan::Best(ShapeId shape, NodeClass wanted) {
  const auto fit = session_.context().static_fits->Get(session_, session_.shape(shape).constraints);
  const size_t runs = evaluator_.runs().size();
  slots_.resize(runs);
  maxima_.assign(session_.hooks().static_score.size(), 0);
  evaluator_.BeginScan();
  const bool needs_maxima = evaluator_.NeedsMaxima(*fit);
  const bool timed = passes_++ % kTimedEvery == 0;
  if (needs_maxima || timed) {
    std::optional<StageClock> stages;
    if (timed) stages.emplace(session_);
    for (size_t i = 0; i < runs; ++i) Filter(i, shape, *fit, wanted);
    if (stages) stages->Ended(metrics::Stage::kPredicate);
    if (needs_maxima) RaiseMaxima(*fit);
    const ScoreBasis basis = evaluator_.BasisFor(fit, maxima_);
    for (size_t i = 0; i < runs; ++i) Rank(i, shape, basis);
    if (stages) stages->Ended(metrics::Stage::kScoring);
  } else {
    const ScoreBasis basis = evaluator_.BasisFor(fit, maxima_);
    for (size_t i = 0; i < runs; ++i) {
      Filter(i, shape, *fit, wanted);
      Rank(i, shape, basis);
    }
  }
  RankedNode best;
  for (const Slot& slot : slots_) {
    if (slot.best.node.valid()) best.Offer(slot.best.node, slot.best.score, slot.best.rank);
  }
  return best.node;
}

void NodeScan::Filter(size_t run, ShapeId shape, const StaticFit& fit, NodeClass wanted) {
  const NodeRange nodes = evaluator_.runs()[run];
  Slot& slot = slots_[run];
  slot.any = evaluator_.Feasible(shape, fit, nodes, wanted,
                                 absl::Span<uint8_t>(slot.feasible.data(), nodes.size()));
}

void NodeScan::RaiseMaxima(const StaticFit& fit) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].any) continue;
    const NodeRange nodes = evaluator_.runs()[i];
    for (NodeId node : nodes) {
      if (slots_[i].feasible[nodes.Offset(node)] == 0) continue;
      evaluator_.RaiseMaxima(fit, node, absl::MakeSpan(maxima_));
    }
  }
}

void NodeScan::Rank(size_t run, ShapeId shape, const ScoreBasis& basis) {
  Slot& slot = slots_[run];
  slot.best = {};
  if (!slot.any) return;
  const NodeRange nodes = evaluator_.runs()[run];
  double scores[NodeEvaluator::kRunNodesMax];
  evaluator_.Score(shape, basis, nodes, absl::Span<double>(scores, nodes.size()));
  for (NodeId node : nodes) {
    const size_t at = nodes.Offset(node);
    if (slot.feasible[at] == 0 || scores[at] < slot.best.score) continue;
    slot.best.Offer(node, scores[at], evaluator_.rank(node));
  }
}

}  // namespace bth::framework
