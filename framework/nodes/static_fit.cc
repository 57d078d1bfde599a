#include "framework/nodes/static_fit.h"

#include <algorithm>
#include <utility>

#include "base/row_at.h"
#include "framework/session/session.h"

namespace bth::framework {
namespace {

using model::NodeId;
using model::NodeRange;

// Evaluates every static hook, and the rule of the shard, for the ready nodes of a run.
void Evaluate(const Session& session, StaticFit& fit, NodeRange run) {
  std::vector<ReasonId> verdicts(run.size(), kFits);
  std::vector<ReasonId> first(run.size(), kFits);
  for (const auto& entry : session.hooks().static_filter) {
    std::fill(verdicts.begin(), verdicts.end(), kFits);
    entry.fn(*fit.constraints, run, absl::MakeSpan(verdicts));
    for (size_t i = 0; i < run.size(); ++i) {
      if (first[i] == kFits) first[i] = verdicts[i];
    }
  }
  const ShardRule& shard = session.shard();
  for (NodeId node : run) {
    RowAt(fit.refusal, node) = shard.Refuses(node) ? shard.reason() : first[run.Offset(node)];
  }
  std::vector<int64_t> raw(run.size());
  const auto& scores = session.hooks().static_score;
  for (size_t k = 0; k < scores.size(); ++k) {
    std::fill(raw.begin(), raw.end(), 0);
    scores[k].fn.fn(*fit.constraints, run, absl::MakeSpan(raw));
    for (NodeId node : run) {
      RowAt(fit.raw_scores[k], node) = raw[run.Offset(node)];
      if (raw[run.Offset(node)] != 0) fit.constant_zero[k] = false;
    }
  }
}

}  // namespace

std::shared_ptr<const StaticFit> StaticFitCache::Get(const Session& session,
                                                     model::ConstraintsId constraints) {
  const uint64_t generation = session.base().generation;
  if (std::exchange(generation_, generation) != generation && ++sessions_ % kSweepEvery == 0) {
    Sweep();
  }
  const auto& shared = session.base().constraints[constraints];
  std::shared_ptr<StaticFit>& slot = entries_[shared.get()];
  if (slot == nullptr) {
    slot = std::make_shared<StaticFit>();
    slot->constraints = shared;
    const size_t hooks = session.hooks().static_score.size();
    slot->raw_scores.resize(hooks);
    slot->constant_zero.assign(hooks, true);
  }
  std::shared_ptr<StaticFit> fit = slot;
  fit->last_used = ++clock_;
  if (fit->snapshot_generation != session.base().generation) Refresh(session, *fit);
  if (entries_.size() > kEntriesMax) EvictOldest();
  return fit;
}

void StaticFitCache::Refresh(const Session& session, StaticFit& fit) {
  const auto& nodes = session.base().nodes;
  if (fit.images != session.base().images && !fit.constraints->images.empty()) {
    fit.nodes = {};  // Image scores depend on how many nodes hold an image.
    fit.constant_zero.assign(fit.constant_zero.size(), true);
  }
  fit.images = session.base().images;
  fit.refusal.resize(nodes.size(), kFits);
  for (std::vector<int64_t>& raw : fit.raw_scores) raw.resize(nodes.size(), 0);
  size_t first = 0;
  const auto evaluate_until = [&](size_t end) {
    if (first < end) {
      evaluations_ += end - first;
      Evaluate(session, fit, NodeRange(first, end));
    }
    first = end + 1;
  };
  constexpr size_t kChunk = std::decay_t<decltype(nodes)>::kRowsPerChunk;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i % kChunk == 0 && nodes.SharesChunk(fit.nodes, i / kChunk)) {
      evaluate_until(i);
      i = std::min(nodes.size(), i + kChunk) - 1;
      first = i + 1;
      continue;
    }
    const NodeId node = NodeId::FromIndex(i);
    const bool known = fit.nodes.Contains(node) && fit.nodes[node].facts == nodes[node].facts &&
                       fit.nodes[node].outside_shard == nodes[node].outside_shard;
    if (known || !nodes[node].has_object()) evaluate_until(i);
  }
  evaluate_until(nodes.size());
  fit.nodes = nodes;
  fit.snapshot_generation = session.base().generation;
}

// A fit holds on to the nodes of the snapshot that it was last in step with.
void StaticFitCache::Sweep() {
  absl::erase_if(entries_,
                 [](const auto& entry) { return entry.second->constraints.use_count() == 1; });
}

void StaticFitCache::EvictOldest() {
  auto oldest = entries_.begin();
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (it->second->last_used < oldest->second->last_used) oldest = it;
  }
  entries_.erase(oldest);
}

bool FitsSomeEmptyNode(const Session& session, model::ShapeId shape) {
  return FitsSomeEmptyNode(session, shape, *session.base().nodes_by_name);
}

bool FitsSomeEmptyNode(const Session& session, model::ShapeId shape, absl::Span<const NodeId> of) {
  const model::ShapeRow& row = session.shape(shape);
  const auto fit = session.context().static_fits->Get(session, row.constraints);
  return std::any_of(of.begin(), of.end(), [&](NodeId node) {
    return RowAt(fit->refusal, node) == kFits &&
           row.request.FitsIn(session.base().allocatable[node]);
  });
}

}  // namespace bth::framework
