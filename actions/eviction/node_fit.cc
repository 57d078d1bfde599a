#include "actions/eviction/node_fit.h"

#include <algorithm>

#include "base/row_at.h"
#include "framework/nodes/global_scan.h"

namespace bth::actions::eviction {

using framework::kFits;
using framework::NodeEvaluator;
using framework::ReasonId;
using framework::Room;
using framework::StaticFit;
using model::NodeId;
using model::NodeRange;
using model::ShapeId;
using model::TaskId;

namespace {

NodeRange OnlyNode(NodeId node) {
  return {node.index(), node.index() + 1};
}

}  // namespace

bool ComesFirst(const NodeFit::Scored& a, const NodeFit::Scored& b) {
  return a.score != b.score ? a.score > b.score : a.rank < b.rank;
}

std::shared_ptr<const StaticFit> NodeFit::StaticOf(TaskId task) const {
  const ShapeId shape = session_.task(task).shape;
  return session_.context().static_fits->Get(session_, session_.shape(shape).constraints);
}

bool NodeFit::MayGoAnywhere(TaskId task) const {
  for (const auto& entry : session_.hooks().pre_filter) {
    if (entry.fn(task) != kFits) return false;
  }
  return true;
}

bool NodeFit::PassesStatic(TaskId task, NodeId node) const {
  return session_.base().nodes.Contains(node) && session_.base().nodes[node].ready() &&
         RowAt(StaticOf(task)->refusal, node) == kFits;
}

ReasonId NodeFit::BeyondHelp(TaskId task, NodeId node) const {
  ReasonId verdict = kFits;
  const absl::Span<ReasonId> out(&verdict, 1);
  for (const auto& entry : session_.hooks().usage_filter) {
    entry.fn(session_.task(task).shape, OnlyNode(node), out);
    if (session_.reasons().Aborts(verdict)) return verdict;
    verdict = kFits;
  }
  for (const auto& entry : session_.hooks().global_filter) {
    if (!entry.fn.concerns(task)) continue;
    entry.fn(task, OnlyNode(node), out);
    if (session_.reasons().Aborts(verdict)) return verdict;
    verdict = kFits;
  }
  return kFits;
}

NodeFit::Objection NodeFit::Against(TaskId task, NodeId node) const {
  const model::TaskRow& row = session_.task(task);
  if (!session_.request(task).FitsIn(session_.usage().FutureIdle(node))) return {Rule::kRoom};
  if (!session_.Allocatable(session_.job(row.job).queue, task)) return {Rule::kQueue};
  for (const auto& entry : session_.hooks().usage_filter) {
    ReasonId verdict = kFits;
    entry.fn(row.shape, OnlyNode(node), absl::Span<ReasonId>(&verdict, 1));
    if (verdict != kFits) return {Rule::kFilter, verdict};
  }
  const ReasonId verdict = framework::GlobalRefusal(session_, task, node);
  return verdict == kFits ? Objection() : Objection{Rule::kFilter, verdict};
}

bool NodeFit::FitsSomeEmptyNode(TaskId task) {
  const ShapeId shape = session_.task(task).shape;
  const auto [known, fresh] = fits_empty_.try_emplace(shape, false);
  if (fresh) known->second = framework::FitsSomeEmptyNode(session_, shape);
  return known->second;
}

std::vector<NodeId> NodeFit::Feasible(TaskId task, Room room) const {
  std::vector<NodeId> nodes;
  const std::shared_ptr<const StaticFit> fit = StaticOf(task);
  uint8_t feasible[NodeEvaluator::kRunNodesMax];
  for (NodeRange run : evaluator_.runs()) {
    const absl::Span<uint8_t> out(feasible, run.size());
    if (!evaluator_.Feasible(session_.task(task).shape, *fit, run, room, out)) continue;
    if (!framework::KeepPassing(session_, task, run, out)) continue;
    for (NodeId node : run) {
      if (out[run.Offset(node)] != 0) nodes.push_back(node);
    }
  }
  return nodes;
}

NodeId NodeFit::BestFree(TaskId task) {
  if (!session_.Allocatable(session_.job(session_.task(task).job).queue, task)) return {};
  const NodeId nominated = session_.task(task).nominated_node;
  if (nominated.valid() && PassesStatic(task, nominated) && MayTake(task, nominated)) {
    return nominated;
  }
  return BestIn(task, [](NodeId) { return true; });
}

NodeId NodeFit::BestIn(TaskId task, absl::FunctionRef<bool(NodeId)> inside) {
  if (!session_.Allocatable(session_.job(session_.task(task).job).queue, task)) return {};
  const auto feasible = [&](Room room) {
    std::vector<NodeId> found = Feasible(task, room);
    std::erase_if(found, [&inside](NodeId node) { return !inside(node); });
    return found;
  };
  evaluator_.BeginScan();
  std::vector<NodeId> nodes = feasible(Room::kIdle);
  if (nodes.empty() && session_.usage().releasing_tasks > 0) nodes = feasible(Room::kFuture);
  if (nodes.empty()) return {};
  std::vector<Scored> scored;
  for (NodeId node : nodes) scored.push_back({.node = node, .rank = evaluator_.rank(node)});
  if (scored.size() > 1) Score(task, MaximaOver(task, nodes), scored);
  return std::min_element(scored.begin(), scored.end(), ComesFirst)->node;
}

std::vector<NodeFit::Scored> NodeFit::Nodes(TaskId task, bool scored,
                                            absl::FunctionRef<bool(NodeId)> wanted) {
  std::vector<NodeId> passing;
  std::vector<Scored> nodes;
  const std::shared_ptr<const StaticFit> fit = StaticOf(task);
  for (NodeId node : *session_.base().nodes_by_name) {
    if (RowAt(fit->refusal, node) != kFits) continue;
    passing.push_back(node);
    if (wanted(node)) nodes.push_back({.node = node, .rank = evaluator_.rank(node)});
  }
  if (scored && nodes.size() > 1) Score(task, MaximaOver(task, passing), nodes);
  return nodes;
}

std::vector<int64_t> NodeFit::MaximaOver(TaskId task, const std::vector<NodeId>& nodes) const {
  std::vector<int64_t> maxima(session_.hooks().static_score.size(), 0);
  const std::shared_ptr<const StaticFit> fit = StaticOf(task);
  if (!evaluator_.NeedsMaxima(*fit)) return maxima;
  for (NodeId node : nodes) evaluator_.RaiseMaxima(*fit, node, absl::MakeSpan(maxima));
  return maxima;
}

// Single nodes when they are few, whole runs otherwise.
void NodeFit::Score(TaskId task, const std::vector<int64_t>& maxima, std::vector<Scored>& nodes) {
  const ShapeId shape = session_.task(task).shape;
  const std::shared_ptr<const StaticFit> fit = StaticOf(task);
  evaluator_.BeginScan();
  const framework::ScoreBasis basis = evaluator_.BasisFor(fit, maxima);
  if (nodes.size() * 8 < session_.base().nodes_by_name->size()) {
    for (Scored& entry : nodes) {
      evaluator_.Score(shape, basis, OnlyNode(entry.node), absl::Span<double>(&entry.score, 1));
    }
  } else {
    std::vector<double> scores(session_.base().nodes.size());
    for (NodeRange run : evaluator_.runs()) {
      evaluator_.Score(shape, basis, run,
                       absl::MakeSpan(scores).subspan(run.first().index(), run.size()));
    }
    for (Scored& entry : nodes) entry.score = RowAt(scores, entry.node);
  }
  if (session_.hooks().global_score.empty()) return;
  std::vector<NodeId> ids;
  std::vector<double> sums;
  for (const Scored& entry : nodes) {
    ids.push_back(entry.node);
    sums.push_back(entry.score);
  }
  framework::AddGlobalScores(session_, task, ids, absl::MakeSpan(sums));
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].score = sums[i];
}

}  // namespace bth::actions::eviction
