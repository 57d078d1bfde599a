#include "framework/node_evaluator.h"

#include <algorithm>

namespace bth::framework {
namespace {

using model::NodeId;
using model::NodeRange;
using model::ResourceVec;
using model::ShapeId;

// 100 * raw / max as kube-scheduler's DefaultNormalizeScore, in whole numbers.
double Normalized(Normalize how, int64_t raw, int64_t max) {
  constexpr int64_t kTop = 100;
  switch (how) {
    case Normalize::kNone:
      return static_cast<double>(raw);
    case Normalize::kByMax:
      return static_cast<double>(max > 0 ? kTop * raw / max : raw);
    case Normalize::kByMaxReverse:
      return static_cast<double>(max > 0 ? kTop - kTop * raw / max : kTop);
  }
  return 0;
}

}  // namespace

NodeEvaluator::NodeEvaluator(const Session& session) : session_(session) {
  const auto& nodes = session.base().nodes;
  size_t first = 0;
  const auto close = [&](size_t end) {
    for (size_t at = first; at < end; at += kRunNodesMax) {
      runs_.emplace_back(at, std::min(end, at + kRunNodesMax));
    }
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[NodeId::FromIndex(i)].ready()) continue;
    close(i);
    first = i + 1;
  }
  close(nodes.size());
}

bool NodeEvaluator::HasRoom(ShapeId shape, NodeId node, Room room) const {
  if (room == Room::kAny) return true;
  const ResourceVec& request = session_.shape(shape).request;
  const model::Usage& usage = session_.usage();
  const bool idle = request.FitsIn(usage.idle[node]);
  // Future room differs from idle room only where something leaves or is promised.
  const bool same = usage.releasing_tasks == 0 && usage.pipelined_tasks == 0;
  if (same) return idle && room == Room::kIdle;
  if (!request.FitsIn(usage.FutureIdle(node))) return false;
  return idle == (room == Room::kIdle);
}

void NodeEvaluator::Feasible(ShapeId shape, const StaticFit& fit, NodeRange run, Room room,
                             absl::Span<uint8_t> out) const {
  bool any = false;
  for (NodeId node : run) {
    const bool fits = fit.refusal[node.index()] == kFits && HasRoom(shape, node, room);
    out[run.Offset(node)] = fits;
    any |= fits;
  }
  if (!any || session_.hooks().usage_filter.empty()) return;
  ReasonId verdicts[kRunNodesMax];
  for (const auto& entry : session_.hooks().usage_filter) {
    const absl::Span<ReasonId> block(verdicts, run.size());
    std::fill(block.begin(), block.end(), kFits);
    entry.fn(shape, run, block);
    for (size_t i = 0; i < run.size(); ++i) out[i] &= static_cast<uint8_t>(block[i] == kFits);
  }
}

void NodeEvaluator::Score(ShapeId shape, const StaticFit& fit, absl::Span<const int64_t> maxima,
                          NodeRange run, absl::Span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  const auto& hooks = session_.hooks();
  for (size_t k = 0; k < hooks.static_score.size(); ++k) {
    const StaticScore& score = hooks.static_score[k].fn;
    if (fit.constant_zero[k]) {
      const double constant = score.weight * Normalized(score.normalize, 0, 0);
      for (double& sum : out) sum += constant;
      continue;
    }
    for (NodeId node : run) {
      out[run.Offset(node)] +=
          score.weight * Normalized(score.normalize, fit.raw_scores[k][node.index()], maxima[k]);
    }
  }
  for (const auto& entry : hooks.usage_score) entry.fn(shape, run, out);
}

bool NodeEvaluator::NeedsMaxima(const StaticFit& fit) const {
  const auto& scores = session_.hooks().static_score;
  for (size_t k = 0; k < scores.size(); ++k) {
    if (!fit.constant_zero[k] && scores[k].fn.normalize != Normalize::kNone) return true;
  }
  return false;
}

void NodeEvaluator::RaiseMaxima(const StaticFit& fit, NodeId node,
                                absl::Span<int64_t> maxima) const {
  for (size_t k = 0; k < maxima.size(); ++k) {
    if (fit.constant_zero[k]) continue;
    maxima[k] = std::max(maxima[k], fit.raw_scores[k][node.index()]);
  }
}

}  // namespace bth::framework
