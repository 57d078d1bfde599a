#include "framework/nodes/node_evaluator.h"

#include <algorithm>

#include "base/row_at.h"

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

// Clears fits[i] where verdicts[i] is a refusal; true when any is left. Two loops, because each
// vectorises alone.
bool KeepFitting(const ReasonId* __restrict verdicts, absl::Span<uint8_t> fits) {
  uint8_t* __restrict out = fits.data();
  const size_t size = fits.size();
  for (size_t i = 0; i < size; ++i) {
    out[i] = static_cast<uint8_t>(out[i] & static_cast<uint8_t>(verdicts[i] == kFits));
  }
  uint8_t any = 0;
  for (size_t i = 0; i < size; ++i) any |= out[i];
  return any != 0;
}

}  // namespace

void NodeEvaluator::LayOut() const {
  const auto& nodes = session_.base().nodes;
  Layout& layout = layout_.emplace();
  layout.ranks.resize(nodes.size());
  size_t first = 0;
  const auto close = [&](size_t end) {
    for (size_t at = first; at < end; at += kRunNodesMax) {
      layout.runs.emplace_back(at, std::min(end, at + kRunNodesMax));
    }
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeId node = NodeId::FromIndex(i);
    layout.ranks[node] = nodes[node].name_rank;
    if (nodes[node].has_object()) continue;
    close(i);
    first = i + 1;
  }
  close(nodes.size());
  if (session_.shard().mode() != model::ShardMode::kSoft) return;
  for (const NodeId node : nodes.ids()) layout.outside.push_back(nodes[node].outside_shard);
}

bool NodeEvaluator::HasRoom(const ResourceVec& request, NodeId node, Room room) const {
  const model::Usage& usage = session_.usage();
  const bool idle = request.FitsIn(usage.idle[node]);
  // Future room differs from idle room only where something leaves or is pipelined.
  const bool same = usage.releasing_tasks == 0 && usage.pipelined_tasks == 0;
  if (same) return idle && room == Room::kIdle;
  if (!request.FitsIn(usage.FutureIdle(node))) return false;
  return idle == (room == Room::kIdle);
}

void NodeEvaluator::BeginScan() {
  if (++scans_ == 1) return;
  room_.CatchUp();
  session_.hooks().before_scan();
}

void NodeEvaluator::RoomOf(ShapeId shape, NodeRange run, Room room, absl::Span<uint8_t> out) const {
  const ResourceVec& request = session_.shape(shape).request;
  if (room == Room::kAny) {
    std::fill(out.begin(), out.end(), uint8_t{1});
  } else if (run.size() == 1 || !room_.Covers(request)) {
    for (NodeId node : run) out[run.Offset(node)] = HasRoom(request, node, room);
  } else if (const model::Usage& usage = session_.usage();
             usage.releasing_tasks > 0 || usage.pipelined_tasks > 0) {
    uint8_t buffer[kRunNodesMax];
    const absl::Span<uint8_t> idle(buffer, run.size());
    room_.FitsIdle(request, run, idle);
    room_.FitsFuture(request, run, out);
    const auto wanted = static_cast<uint8_t>(room == Room::kIdle);
    for (size_t i = 0; i < run.size(); ++i) out[i] &= static_cast<uint8_t>(idle[i] == wanted);
  } else if (room == Room::kIdle) {
    room_.FitsIdle(request, run, out);
  } else {
    std::fill(out.begin(), out.end(), uint8_t{0});
  }
}

void NodeEvaluator::KeepPart(ShardPart part, NodeRange run, absl::Span<uint8_t> out) const {
  const uint8_t* const outside = layout().outside.data() + run.first().index();
  const auto wanted = static_cast<uint8_t>(part == ShardPart::kOutside);
  for (size_t i = 0; i < out.size(); ++i) out[i] &= static_cast<uint8_t>(outside[i] == wanted);
}

// What is free only later is no room now, but room of the future, though the resources are idle.
void NodeEvaluator::MindWhatIsHeld(ShapeId shape, NodeRange run, Room room,
                                   absl::Span<uint8_t> out) const {
  ReasonId verdicts[kRunNodesMax];
  const absl::Span<ReasonId> block(verdicts, run.size());
  std::fill(block.begin(), block.end(), kFits);
  for (const auto& entry : session_.hooks().now_filter) entry.fn(shape, run, block);
  if (room != Room::kFuture) {
    KeepFitting(verdicts, out);
    return;
  }
  const auto held = [](ReasonId verdict) { return verdict != kFits; };
  if (std::none_of(block.begin(), block.end(), held)) return;
  uint8_t buffer[kRunNodesMax];
  const absl::Span<uint8_t> idle(buffer, run.size());
  RoomOf(shape, run, Room::kIdle, idle);
  for (size_t i = 0; i < run.size(); ++i) {
    if (idle[i] != 0 && held(verdicts[i])) out[i] = 1;
  }
}

bool NodeEvaluator::Feasible(ShapeId shape, const StaticFit& fit, NodeRange run, NodeClass wanted,
                             absl::Span<uint8_t> out) const {
  RoomOf(shape, run, wanted.room, out);
  if (!session_.hooks().now_filter.empty()) MindWhatIsHeld(shape, run, wanted.room, out);
  if (wanted.part != ShardPart::kAll) KeepPart(wanted.part, run, out);
  bool any = KeepFitting(fit.refusal.data() + run.first().index(), out);
  ReasonId verdicts[kRunNodesMax];
  const absl::Span<ReasonId> block(verdicts, run.size());
  for (const auto& entry : session_.hooks().usage_filter) {
    if (!any) return false;
    std::fill(block.begin(), block.end(), kFits);
    entry.fn(shape, run, block);
    any = KeepFitting(verdicts, out);
  }
  return any;
}

void NodeEvaluator::SumStatic(const StaticFit& fit, absl::Span<const int64_t> maxima, NodeRange run,
                              absl::Span<double> out) const {
  const auto& scores = session_.hooks().static_score;
  const auto constant = [&](size_t k) {
    return scores[k].fn.weight * Normalized(scores[k].fn.normalize, 0, 0);
  };
  // Constants that come first are added up once for all nodes: the same sums in the same order.
  double head = 0;
  size_t k = 0;
  for (; k < scores.size() && fit.constant_zero[k]; ++k) head += constant(k);
  std::fill(out.begin(), out.end(), head);
  for (; k < scores.size(); ++k) {
    if (fit.constant_zero[k]) {
      for (double& sum : out) sum += constant(k);
      continue;
    }
    const StaticScore& score = scores[k].fn;
    for (NodeId node : run) {
      out[run.Offset(node)] +=
          score.weight * Normalized(score.normalize, RowAt(fit.raw_scores[k], node), maxima[k]);
    }
  }
}

ScoreBasis NodeEvaluator::BasisFor(const std::shared_ptr<const StaticFit>& fit,
                                   absl::Span<const int64_t> maxima) {
  ScoreBasis basis{.fit = *fit, .maxima = maxima};
  const std::vector<bool>& constant = fit->constant_zero;
  if (std::find(constant.begin(), constant.end(), false) == constant.end()) return basis;
  basis.static_sums = static_sums_.Get(fit, maxima, [&](absl::Span<double> sums) {
    for (NodeRange run : runs()) {
      SumStatic(*fit, maxima, run, sums.subspan(run.first().index(), run.size()));
    }
  });
  return basis;
}

void NodeEvaluator::Score(ShapeId shape, const ScoreBasis& basis, NodeRange run,
                          absl::Span<double> out) const {
  if (basis.static_sums.empty()) {
    SumStatic(basis.fit, basis.maxima, run, out);
  } else {
    const auto sums = basis.static_sums.subspan(run.first().index(), run.size());
    std::copy(sums.begin(), sums.end(), out.begin());
  }
  for (const auto& entry : session_.hooks().usage_score) entry.fn(shape, run, out);
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
    maxima[k] = std::max(maxima[k], RowAt(fit.raw_scores[k], node));
  }
}

}  // namespace bth::framework
