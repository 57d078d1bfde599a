#include "framework/nodes/candidate_index.h"

#include <algorithm>

#include "base/row_at.h"
#include "framework/nodes/global_scan.h"
#include "framework/session/session.h"

namespace bth::framework {

using model::NodeId;
using model::NodeRange;

CandidateIndex::CandidateIndex(Session& session, NodeEvaluator& evaluator, model::TaskId task,
                               IndexScope scope)
    : CandidateIndex(session, evaluator, task, scope,
                     ScoreForest(session.base().nodes_by_name->size())) {}

CandidateIndex::CandidateIndex(Session& session, NodeEvaluator& evaluator, model::TaskId task,
                               ShardPart part, absl::Span<const uint32_t> segments)
    : CandidateIndex(session, evaluator, task, {.by_queue = false, .part = part},
                     ScoreForest(segments)) {}

CandidateIndex::CandidateIndex(Session& session, NodeEvaluator& evaluator, model::TaskId task,
                               IndexScope scope, ScoreForest forest)
    : session_(session),
      evaluator_(evaluator),
      task_(task),
      shape_(session.task(task).shape),
      scope_(scope),
      static_fit_(
          session.context().static_fits->Get(session, session.base().shapes[shape_].constraints)),
      forest_(std::move(forest)) {
  Rebuild();
}

void CandidateIndex::Rebuild() {
  ++rebuilds_;
  changes_seen_ = session_.placements().node_changes().size();
  forest_.BeginFill();
  const size_t hooks = session_.hooks().static_score.size();
  maxima_.assign(hooks, 0);
  holders_of_maximum_.assign(hooks, 0);
  normalises_ = evaluator_.NeedsMaxima(*static_fit_);
  evaluator_.BeginScan();
  uint8_t feasible[NodeEvaluator::kRunNodesMax];
  double scores[NodeEvaluator::kRunNodesMax];
  const auto feasible_of = [&](NodeRange run) {
    return Feasible(run, absl::Span<uint8_t>(feasible, run.size()));
  };
  if (normalises_) {
    for (NodeRange run : evaluator_.runs()) {
      if (!feasible_of(run)) continue;
      for (NodeId node : run) {
        if (feasible[run.Offset(node)] != 0) CountMaxima(node);
      }
    }
  }
  const ScoreBasis basis = evaluator_.BasisFor(static_fit_, maxima_);
  for (NodeRange run : evaluator_.runs()) {
    if (!feasible_of(run)) continue;
    Score(basis, run, absl::Span<const uint8_t>(feasible, run.size()),
          absl::Span<double>(scores, run.size()));
    for (NodeId node : run) {
      const size_t i = run.Offset(node);
      if (feasible[i] != 0) forest_.Put(evaluator_.rank(node), scores[i]);
    }
  }
  forest_.EndFill();
}

bool CandidateIndex::Feasible(NodeRange run, absl::Span<uint8_t> out) const {
  if (!evaluator_.Feasible(shape_, *static_fit_, run, {Room::kIdle, scope_.part}, out))
    return false;
  return !scope_.by_queue || KeepPassing(session_, task_, run, out, GlobalHooks::kByQueue);
}

void CandidateIndex::Score(const ScoreBasis& basis, NodeRange run,
                           absl::Span<const uint8_t> feasible, absl::Span<double> out) const {
  evaluator_.Score(shape_, basis, run, out);
  if (!scope_.by_queue) return;
  NodeId nodes[NodeEvaluator::kRunNodesMax];
  double sums[NodeEvaluator::kRunNodesMax];
  size_t count = 0;
  for (NodeId node : run) {
    if (feasible[run.Offset(node)] == 0) continue;
    nodes[count] = node;
    sums[count++] = out[run.Offset(node)];
  }
  AddGlobalScores(session_, task_, absl::Span<const NodeId>(nodes, count),
                  absl::Span<double>(sums, count), GlobalHooks::kByQueue);
  for (size_t i = 0; i < count; ++i) out[run.Offset(nodes[i])] = sums[i];
}

void CandidateIndex::CountMaxima(NodeId node) {
  for (size_t k = 0; k < maxima_.size(); ++k) {
    if (static_fit_->constant_zero[k]) continue;
    const int64_t raw = RowAt(static_fit_->raw_scores[k], node);
    if (raw > maxima_[k]) {
      maxima_[k] = raw;
      holders_of_maximum_[k] = 0;
    }
    if (raw == maxima_[k]) ++holders_of_maximum_[k];
  }
}

bool CandidateIndex::KeepsMaxima(NodeId node, bool was_feasible, bool is_feasible) {
  if (was_feasible == is_feasible) return true;
  for (size_t k = 0; k < maxima_.size(); ++k) {
    if (static_fit_->constant_zero[k]) continue;
    if (session_.hooks().static_score[k].fn.normalize == Normalize::kNone) continue;
    const int64_t raw = RowAt(static_fit_->raw_scores[k], node);
    if (raw > maxima_[k]) return false;
    if (raw < maxima_[k]) continue;
    holders_of_maximum_[k] += is_feasible ? 1 : -1;
    if (holders_of_maximum_[k] == 0) return false;
  }
  return true;
}

bool CandidateIndex::Update(NodeId node) {
  if (!session_.base().nodes[node].has_object()) return true;  // It has no place among them.
  const NodeRange run(node.index(), node.index() + 1);
  uint8_t feasible = 0;
  double score = ScoreForest::kOut;
  Feasible(run, absl::Span<uint8_t>(&feasible, 1));
  const size_t position = evaluator_.rank(node);
  const bool was_feasible = forest_.key(position) != ScoreForest::kOut;
  if (!KeepsMaxima(node, was_feasible, feasible != 0)) return false;
  if (feasible != 0) {
    const ScoreBasis basis{.fit = *static_fit_, .maxima = maxima_};
    Score(basis, run, absl::Span<const uint8_t>(&feasible, 1), absl::Span<double>(&score, 1));
  }
  forest_.SetKey(position, score);
  return true;
}

void CandidateIndex::CatchUp() {
  const std::vector<NodeId>& changes = session_.placements().node_changes();
  // An update costs about as much as evaluating a few nodes of a run.
  constexpr size_t kUpdateCost = 4;
  if ((changes.size() - changes_seen_) * kUpdateCost > session_.base().nodes_by_name->size()) {
    Rebuild();
  }
  while (changes_seen_ < changes.size()) {
    if (!Update(changes[changes_seen_++])) Rebuild();
  }
}

NodeId CandidateIndex::Best() {
  CatchUp();
  if (forest_.best() == ScoreForest::kOut) return NodeId();
  return (*session_.base().nodes_by_name)[BestPosition()];
}

std::optional<NodeId> CandidateIndex::BestPassing(absl::FunctionRef<bool(NodeId)> passes) {
  CatchUp();
  std::optional<NodeId> best;
  hidden_.clear();
  while (!best && hidden_.size() < kTriesMax) {
    if (forest_.best() == ScoreForest::kOut) {
      best = NodeId();
      break;
    }
    const size_t position = BestPosition();
    const NodeId node = (*session_.base().nodes_by_name)[position];
    if (passes(node)) {
      best = node;
    } else {
      hidden_.emplace_back(position, forest_.key(position));
      forest_.SetKey(position, ScoreForest::kOut);
    }
  }
  for (const auto& [position, key] : hidden_) forest_.SetKey(position, key);
  return best;
}

}  // namespace bth::framework
