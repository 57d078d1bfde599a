#include "framework/nodes/global_scan.h"

#include <algorithm>

#include "base/row_at.h"
#include "framework/nodes/node_slots.h"
#include "framework/nodes/ranked_node.h"
#include "framework/nodes/static_fit.h"
#include "framework/session/stage_clock.h"

namespace bth::framework {

using model::NodeId;
using model::NodeRange;
using model::TaskId;

namespace {

bool IsMeant(GlobalHooks which, bool by_queue) {
  return which == GlobalHooks::kAll || (which == GlobalHooks::kByQueue) == by_queue;
}

template <typename Hooks>
bool AnyConcerns(const Hooks& hooks, TaskId task, GlobalHooks which) {
  for (const auto& entry : hooks) {
    if (IsMeant(which, entry.fn.by_queue) && entry.fn.concerns(task)) return true;
  }
  return false;
}

}  // namespace

bool GlobalFiltersConcern(const Session& session, TaskId task, GlobalHooks which) {
  return AnyConcerns(session.hooks().global_filter, task, which);
}

bool GlobalScoresConcern(const Session& session, TaskId task, GlobalHooks which) {
  return AnyConcerns(session.hooks().global_score, task, which);
}

const GlobalScore* OnlyGlobalScore(const Session& session, TaskId task) {
  const GlobalScore* only = nullptr;
  for (const auto& entry : session.hooks().global_score) {
    if (!entry.fn.concerns(task)) continue;
    if (only != nullptr) return nullptr;
    only = &entry.fn;
  }
  return only;
}

bool FollowsOnly(const Session& session, TaskId task, AnswerSources sources) {
  if (session.base().constraints_of(session.task(task).shape).volumes != nullptr) return false;
  const auto& filters = session.hooks().global_filter;
  return std::none_of(filters.begin(), filters.end(), [task, sources](const auto& entry) {
    return !entry.fn.by_queue && (entry.fn.follows & ~sources) != 0 && entry.fn.concerns(task);
  });
}

ReasonId GlobalRefusal(const Session& session, TaskId task, NodeId node) {
  for (const auto& entry : session.hooks().global_filter) {
    if (!entry.fn.concerns(task)) continue;
    ReasonId verdict = kFits;
    entry.fn(task, NodeRange(node.index(), node.index() + 1), absl::Span<ReasonId>(&verdict, 1));
    if (verdict != kFits) return verdict;
  }
  return kFits;
}

bool PassesGlobalFilters(const Session& session, TaskId task, NodeId node) {
  return GlobalRefusal(session, task, node) == kFits;
}

bool KeepPassing(const Session& session, TaskId task, NodeRange run, absl::Span<uint8_t> fits,
                 GlobalHooks which) {
  ReasonId verdicts[NodeEvaluator::kRunNodesMax];
  const absl::Span<ReasonId> out(verdicts, run.size());
  for (const auto& entry : session.hooks().global_filter) {
    if (!IsMeant(which, entry.fn.by_queue) || !entry.fn.concerns(task)) continue;
    std::fill(out.begin(), out.end(), kFits);
    entry.fn(task, run, out);
    uint8_t any = 0;
    for (size_t i = 0; i < fits.size(); ++i) {
      fits[i] = static_cast<uint8_t>(fits[i] & static_cast<uint8_t>(out[i] == kFits));
      any |= fits[i];
    }
    if (any == 0) return false;
  }
  return std::find(fits.begin(), fits.end(), uint8_t{1}) != fits.end();
}

void AddGlobalScores(const Session& session, TaskId task, absl::Span<const NodeId> nodes,
                     absl::Span<double> sums, GlobalHooks which) {
  for (const auto& entry : session.hooks().global_score) {
    if (!IsMeant(which, entry.fn.by_queue) || !entry.fn.concerns(task)) continue;
    entry.fn(task, nodes, sums);
  }
}

bool GlobalScan::Concerns(TaskId task) const {
  return !session_.hooks().best_node.empty() ||
         GlobalFiltersConcern(session_, task, GlobalHooks::kByTask) ||
         GlobalScoresConcern(session_, task, GlobalHooks::kByTask);
}

ScoreBasis GlobalScan::BasisFor(const std::shared_ptr<const StaticFit>& fit) const {
  if (inside_ == nullptr) return evaluator_.BasisFor(fit, maxima_);
  return {.fit = *fit, .maxima = maxima_};
}

NodeId GlobalScan::Best(TaskId task, NodeClass wanted) {
  const auto fit = session_.context().static_fits->Get(
      session_, session_.shape(session_.task(task).shape).constraints);
  StageClock stages(session_);
  FindFeasible(task, wanted, *fit, nullptr);
  stages.Ended(metrics::Stage::kPredicate);
  if (nodes_.empty()) return {};
  Score(task, BasisFor(fit));
  stages.Ended(metrics::Stage::kScoring);
  if (nodes_.size() > 1) {
    for (const auto& entry : session_.hooks().best_node) {
      if (const NodeId node = entry.fn(task, nodes_, scores_); node.valid()) return node;
    }
  }
  return BestByScore();
}

NodeId GlobalScan::BestByScore() const {
  RankedNode best;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    best.Offer(nodes_[i], scores_[i], evaluator_.rank(nodes_[i]));
  }
  return best.node;
}

NodeId GlobalScan::BestAmong(TaskId task, NodeClass wanted, const NodeTest* inside) {
  const auto fit = session_.context().static_fits->Get(
      session_, session_.shape(session_.task(task).shape).constraints);
  FindFeasible(task, wanted, *fit, inside);
  if (nodes_.size() < 2) return nodes_.empty() ? NodeId() : nodes_.front();
  Score(task, BasisFor(fit));
  return BestByScore();
}

std::vector<RankedNode> GlobalScan::Ranked(TaskId task, ShardPart part, bool scored,
                                           NodeTest wanted) {
  const auto fit = session_.context().static_fits->Get(
      session_, session_.shape(session_.task(task).shape).constraints);
  maxima_.assign(session_.hooks().static_score.size(), 0);
  const bool normalises = scored && evaluator_.NeedsMaxima(*fit);
  nodes_.clear();
  const auto look_at = [&](NodeId node) {
    if (RowAt(fit->refusal, node) != kFits || !session_.shard().IsIn(part, node)) return;
    if (normalises) evaluator_.RaiseMaxima(*fit, node, absl::MakeSpan(maxima_));
    if (wanted(node)) nodes_.push_back(node);
  };
  if (scored) {
    for (NodeRange run : runs()) {
      for (NodeId node : run) look_at(node);
    }
  } else if (inside_ == nullptr) {
    for (NodeId node : *session_.base().nodes_by_name) look_at(node);
  } else {
    std::vector<NodeId> by_name;
    for (NodeRange run : runs()) {
      for (NodeId node : run) by_name.push_back(node);
    }
    std::sort(by_name.begin(), by_name.end(),
              [this](NodeId a, NodeId b) { return evaluator_.rank(a) < evaluator_.rank(b); });
    for (NodeId node : by_name) look_at(node);
  }
  scores_.assign(nodes_.size(), 0);
  if (scored && nodes_.size() > 1) {
    evaluator_.BeginScan();
    Score(task, BasisFor(fit));
  }
  std::vector<RankedNode> ranked;
  ranked.reserve(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    ranked.push_back({nodes_[i], scores_[i], evaluator_.rank(nodes_[i])});
  }
  return ranked;
}

void GlobalScan::FindFeasible(TaskId task, NodeClass wanted, const StaticFit& fit,
                              const NodeTest* inside) {
  nodes_.clear();
  maxima_.assign(session_.hooks().static_score.size(), 0);
  const bool normalises = evaluator_.NeedsMaxima(fit);
  evaluator_.BeginScan();
  uint8_t buffer[NodeEvaluator::kRunNodesMax];
  for (NodeRange run : runs()) {
    const absl::Span<uint8_t> fits(buffer, run.size());
    if (!evaluator_.Feasible(session_.task(task).shape, fit, run, wanted, fits)) continue;
    if (!KeepPassing(session_, task, run, fits)) continue;
    for (NodeId node : run) {
      if (fits[run.Offset(node)] == 0) continue;
      if (inside != nullptr && !(*inside)(node)) continue;
      nodes_.push_back(node);
      if (normalises) evaluator_.RaiseMaxima(fit, node, absl::MakeSpan(maxima_));
    }
  }
}

// Runs of which few nodes are asked about are scored node by node.
void GlobalScan::Score(TaskId task, const ScoreBasis& basis) {
  constexpr size_t kFew = 64;  // One in so many.
  const model::ShapeId shape = session_.task(task).shape;
  scores_.resize(nodes_.size());
  double buffer[NodeEvaluator::kRunNodesMax];
  size_t at = 0;
  for (NodeRange run : runs()) {
    const size_t end = run.first().index() + run.size();
    if (at == nodes_.size()) break;
    if (nodes_[at].index() >= end) continue;
    size_t next = at;
    while (next < nodes_.size() && nodes_[next].index() < end) ++next;
    const bool few = (next - at) * kFew < run.size();
    if (!few) evaluator_.Score(shape, basis, run, absl::Span<double>(buffer, run.size()));
    for (; at < next; ++at) {
      const NodeId node = nodes_[at];
      if (few) {
        evaluator_.Score(shape, basis, NodeRange(node.index(), node.index() + 1),
                         absl::Span<double>(&scores_[at], 1));
      } else {
        scores_[at] = buffer[run.Offset(node)];
      }
    }
  }
  AddGlobalScores(session_, task, nodes_, absl::MakeSpan(scores_));
}

NodeId GlobalScan::FirstTaker(TaskId task, Room room) const {
  const model::ShapeId shape = session_.task(task).shape;
  const auto fit = session_.context().static_fits->Get(session_, session_.shape(shape).constraints);
  const bool concerned = GlobalFiltersConcern(session_, task, GlobalHooks::kAll);
  uint8_t buffer[NodeEvaluator::kRunNodesMax];
  for (NodeRange run : runs()) {
    const absl::Span<uint8_t> fits(buffer, run.size());
    if (!evaluator_.Feasible(shape, *fit, run, room, fits)) continue;
    if (concerned && !KeepPassing(session_, task, run, fits)) continue;
    const auto taker = std::find(fits.begin(), fits.end(), uint8_t{1});
    return NodeId::FromIndex(run.first().index() + static_cast<size_t>(taker - fits.begin()));
  }
  return {};
}

int64_t GlobalScan::SlotsUpTo(TaskId task, int64_t enough) const {
  const model::ShapeId shape = session_.task(task).shape;
  const auto fit = session_.context().static_fits->Get(session_, session_.shape(shape).constraints);
  const bool concerned = GlobalFiltersConcern(session_, task, GlobalHooks::kAll);
  const NodeSlots slots(session_, shape);
  int64_t found = 0;
  uint8_t buffer[NodeEvaluator::kRunNodesMax];
  for (const Room room : {Room::kIdle, Room::kFuture}) {
    if (room == Room::kFuture && session_.usage().releasing_tasks == 0) break;
    for (NodeRange run : runs()) {
      const absl::Span<uint8_t> fits(buffer, run.size());
      if (!evaluator_.Feasible(shape, *fit, run, room, fits)) continue;
      if (concerned && !KeepPassing(session_, task, run, fits)) continue;
      for (NodeId node : run) {
        if (fits[run.Offset(node)] != 0) found += slots.On(node);
      }
      if (found >= enough) return enough;
    }
  }
  return found;
}

}  // namespace bth::framework
