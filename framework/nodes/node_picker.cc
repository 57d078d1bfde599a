#include "framework/nodes/node_picker.h"

#include <vector>

#include "framework/peers/domain_counter.h"

namespace bth::framework {
namespace {

using model::NodeId;
using model::ShapeId;
using model::TaskId;

}  // namespace

NodePicker::NodePicker(Session& session)
    : session_(session),
      evaluator_(session),
      scan_(session, evaluator_),
      global_(session, evaluator_),
      judge_(session) {}

NodePicker::~NodePicker() = default;

NodeChoice NodePicker::Pick(TaskId task) {
  if (const ReasonId reason = judge_.HoldsOff(task); reason != kFits)
    return Refuse(task, reason, true);
  if (const NodeChoice nominated = PickNominated(task); nominated.node.valid()) return nominated;
  if (const NodeChoice now = PickAmong(task, Room::kIdle); now.node.valid()) return now;
  const model::Usage& usage = session_.usage();
  if (usage.releasing_tasks > 0) {
    if (const NodeChoice later = PickAmong(task, Room::kFuture); later.node.valid()) return later;
  }
  return Refuse(task, kFits, true);
}

NodeChoice NodePicker::PickForBestEffort(TaskId task) {
  if (const ReasonId reason = judge_.HoldsOff(task); reason != kFits)
    return Refuse(task, reason, false);
  if (const NodeChoice choice = PickAmong(task, Room::kAny); choice.node.valid()) return choice;
  return Refuse(task, kFits, false);
}

NodeChoice NodePicker::PickNominated(TaskId task) const {
  const NodeId node = session_.task(task).nominated_node;
  if (!node.valid() || !session_.base().nodes.Contains(node)) return {};
  if (!session_.base().nodes[node].has_object()) return {};
  std::vector<ReasonId> reasons;
  judge_.CollectReasons(task, node, true, &reasons);
  if (!reasons.empty()) return {};
  const bool now = session_.request(task).FitsIn(session_.usage().idle[node]);
  return {.node = node, .on_future_room = !now};
}

TaskKind NodePicker::KindOf(TaskId task) const {
  const bool by_queue = GlobalFiltersConcern(session_, task, GlobalHooks::kByQueue) ||
                        GlobalScoresConcern(session_, task, GlobalHooks::kByQueue);
  const model::TaskRow& row = session_.task(task);
  return {row.shape, by_queue ? session_.job(row.job).queue : model::QueueId()};
}

NodeChoice NodePicker::PickAmong(TaskId task, Room room) {
  const TaskKind kind = KindOf(task);
  NodeId node;
  if (global_.Concerns(task)) {
    if (room == Room::kIdle) {
      std::optional<NodeId> known = PickFiltered(task, kind);
      if (!known) known = PickAlike(task, kind);
      if (known) return {.node = *known};
    }
    ++scans_;
    node = global_.Best(task, room);
  } else if (room == Room::kIdle && UsesIndex(kind)) {
    node = IndexOf(task, kind).Best();
  } else if (kind.second.valid()) {
    ++scans_;
    node = global_.Best(task, room);
  } else {
    ++scans_;
    node = scan_.Best(kind.first, room);
  }
  return {.node = node, .on_future_room = room == Room::kFuture};
}

std::optional<NodeId> NodePicker::PickFiltered(TaskId task, const TaskKind& kind) {
  if (!session_.hooks().best_node.empty()) return {};
  if (GlobalScoresConcern(session_, task, GlobalHooks::kByTask)) return {};
  if (!UsesIndex(kind)) return {};
  CandidateIndex& index = IndexOf(task, kind);
  if (index.normalises()) return {};
  return index.BestPassing([&](NodeId node) { return PassesGlobalFilters(session_, task, node); });
}

std::optional<NodeId> NodePicker::PickAlike(TaskId task, const TaskKind& kind) {
  if (!session_.hooks().best_node.empty() || kind.second.valid()) return {};
  if (GlobalFiltersConcern(session_, task, GlobalHooks::kByTask)) return {};
  const GlobalScore* score = OnlyGlobalScore(session_, task);
  NodeLikeness likeness;
  if (score == nullptr || score->likeness == nullptr || !score->likeness(task, &likeness))
    return {};
  AlikeIndex* const index = AlikeIndexOf(task, kind, likeness);
  if (index == nullptr) return {};
  const std::optional<NodeId> best = index->Best(task, likeness, score->score_alike);
  index_answers_ += best ? 1 : 0;
  group_answers_ += best ? 1 : 0;
  return best;
}

// Questions that count few nodes share an index.
AlikeIndex* NodePicker::AlikeIndexOf(TaskId task, const TaskKind& kind,
                                     const NodeLikeness& likeness) {
  constexpr size_t kSharedNodesMax = 256;
  constexpr size_t kAlikeIndexesMax = 256;
  if (likeness.domains != nullptr && likeness.domains->domains() > AlikeIndex::kSegmentsMax) {
    return nullptr;
  }
  const DomainCounter* pods = likeness.pods;
  const bool shares = pods == nullptr || pods->nodes_with_pods().size() <= kSharedNodesMax;
  const AlikeKind alike{.shape = kind.first,
                        .domains = likeness.domains,
                        .pods_by = pods == nullptr ? nullptr : &pods->topology(),
                        .counter = shares ? 0 : pods->id()};
  const auto known = alike_indexes_.find(alike);
  if (known == alike_indexes_.end()) {
    if (++picks_of_alike_[alike] == 1 || alike_indexes_.size() == kAlikeIndexesMax) return nullptr;
    ++index_builds_;
    auto fresh = std::make_unique<AlikeIndex>(session_, evaluator_, task, likeness);
    return alike_indexes_.emplace(alike, std::move(fresh)).first->second.get();
  }
  return known->second.get();
}

CandidateIndex& NodePicker::IndexOf(TaskId task, const TaskKind& kind) {
  std::unique_ptr<CandidateIndex>& index = indexes_[kind];
  ++index_answers_;
  if (index == nullptr) {
    ++index_builds_;
    index = std::make_unique<CandidateIndex>(session_, evaluator_, task, kind.second.valid());
  }
  return *index;
}

// A kind asked for once is scanned; from the second time on an index pays for itself.
bool NodePicker::UsesIndex(const TaskKind& kind) {
  constexpr size_t kIndexesMax = 1024;  // 160 KB each at 10,000 nodes.
  if (indexes_.contains(kind)) return true;
  return ++picks_of_kind_[kind] > 1 && indexes_.size() < kIndexesMax;
}

NodeChoice NodePicker::Refuse(TaskId task, ReasonId pre_filter, bool check_resources) {
  if (pre_filter == kFits) {
    session_.notes().RecordFit(task, Explain(task, check_resources));
    return {};
  }
  const auto nodes = static_cast<int32_t>(session_.base().nodes_by_name->size());
  auto fit = std::make_shared<TaskFit>();
  fit->exemplar = task;
  fit->shape = session_.task(task).shape;
  fit->nodes_refused = nodes;
  fit->counts.push_back({pre_filter, nodes});
  session_.notes().RecordFit(task, std::move(fit));
  return {};
}

std::shared_ptr<const TaskFit> NodePicker::Explain(TaskId task, bool check_resources) {
  const ShapeId shape = session_.task(task).shape;
  const bool per_kind = !GlobalFiltersConcern(session_, task, GlobalHooks::kByTask);
  Explained& known = explained_[KindOf(task)];
  if (per_kind && known.fit != nullptr && known.version == session_.placements().version())
    return known.fit;
  std::vector<int32_t> counts(session_.reasons().size(), 0);
  auto fit = std::make_shared<TaskFit>();
  fit->exemplar = task;
  fit->shape = shape;
  std::vector<ReasonId> reasons;
  for (NodeId node : *session_.base().nodes_by_name) {
    reasons.clear();
    judge_.CollectReasons(task, node, check_resources, &reasons);
    if (reasons.empty()) continue;
    ++fit->nodes_refused;
    for (ReasonId reason : reasons) ++counts[reason];
  }
  for (size_t reason = 1; reason < counts.size(); ++reason) {
    if (counts[reason] > 0) fit->counts.push_back({static_cast<ReasonId>(reason), counts[reason]});
  }
  if (per_kind) {
    known.version = session_.placements().version();
    known.fit = fit;
  }
  return fit;
}

bool NodePicker::AnyNodeTakes(TaskId task) {
  Explained& known = explained_[KindOf(task)];
  const bool per_kind = !GlobalFiltersConcern(session_, task, GlobalHooks::kByTask);
  if (per_kind && known.fit != nullptr && known.version == session_.placements().version()) {
    return known.fit->nodes_refused < static_cast<int32_t>(session_.base().nodes_by_name->size());
  }
  if (known.taker.valid()) {
    std::vector<ReasonId> reasons;
    judge_.CollectReasons(task, known.taker, true, &reasons);
    if (reasons.empty()) return true;
  }
  evaluator_.BeginScan();
  known.taker = global_.FirstTaker(task, Room::kIdle);
  if (!known.taker.valid() && session_.usage().releasing_tasks > 0) {
    known.taker = global_.FirstTaker(task, Room::kFuture);
  }
  return known.taker.valid();
}

NodeId NodePicker::BestFree(TaskId task) {
  if (!session_.votes().Allocatable(session_.job(session_.task(task).job).queue, task)) return {};
  const NodeId nominated = session_.task(task).nominated_node;
  if (nominated.valid() && judge_.PassesStatic(task, nominated) &&
      judge_.MayTake(task, nominated)) {
    return nominated;
  }
  return BestIn(task, nullptr);
}

NodeId NodePicker::BestIn(TaskId task, const NodeTest* inside) {
  if (!session_.votes().Allocatable(session_.job(session_.task(task).job).queue, task)) return {};
  const NodeId now = global_.BestAmong(task, Room::kIdle, inside);
  if (now.valid() || session_.usage().releasing_tasks == 0) return now;
  return global_.BestAmong(task, Room::kFuture, inside);
}

bool NodePicker::FitsSomeEmptyNode(TaskId task) {
  const ShapeId shape = session_.task(task).shape;
  const auto [known, fresh] = fits_empty_.try_emplace(shape, false);
  if (fresh) known->second = framework::FitsSomeEmptyNode(session_, shape);
  return known->second;
}

}  // namespace bth::framework
