#include "framework/nodes/node_picker.h"

#include <algorithm>
#include <vector>

#include "framework/peers/domain_counter.h"
#include "framework/topology/topology.h"

namespace bth::framework {
namespace {

using model::HyperNodeId;
using model::NodeId;
using model::NodeRange;
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

void NodePicker::Confine(HyperNodeId hyper_node) {
  const bool all = !hyper_node.valid() || hyper_node == session_.topology().tree().root();
  inside_ = all ? HyperNodeId() : hyper_node;
  global_.Confine(all ? nullptr : &session_.topology().tree()[hyper_node].runs);
}

bool NodePicker::MayLookAt(NodeId node) const {
  return !inside_.valid() || session_.topology().tree().Contains(inside_, node);
}

std::string NodePicker::NameInside() const {
  return inside_.valid() ? session_.topology().tree()[inside_].name : std::string();
}

int32_t NodePicker::NodesLookedAt() const {
  return static_cast<int32_t>(inside_.valid() ? session_.topology().tree()[inside_].nodes
                                              : session_.base().nodes_by_name->size());
}

NodeChoice NodePicker::Pick(TaskId task) {
  if (const ReasonId reason = judge_.HoldsOff(task); reason != kFits)
    return Refuse(task, reason, true);
  if (const NodeChoice nominated = PickNominated(task); nominated.node.valid()) return nominated;
  return PickElsewhere(task);
}

NodeChoice NodePicker::PickNow(TaskId task) {
  if (const ReasonId reason = judge_.HoldsOff(task); reason != kFits)
    return Refuse(task, reason, true);
  const NodeChoice nominated = PickNominated(task);
  return nominated.node.valid() && !nominated.on_future_room ? nominated : PickElsewhere(task);
}

NodeChoice NodePicker::PickElsewhere(TaskId task) {
  if (const NodeChoice now = PickWith(task, Room::kIdle); now.node.valid()) return now;
  const model::Usage& usage = session_.usage();
  if (usage.releasing_tasks > 0) {
    if (const NodeChoice later = PickWith(task, Room::kFuture); later.node.valid()) return later;
  }
  return Refuse(task, kFits, true);
}

NodeChoice NodePicker::PickForBestEffort(TaskId task) {
  if (const ReasonId reason = judge_.HoldsOff(task); reason != kFits)
    return Refuse(task, reason, false);
  if (const NodeChoice choice = PickWith(task, Room::kAny); choice.node.valid()) return choice;
  return Refuse(task, kFits, false);
}

NodeChoice NodePicker::PickNominated(TaskId task) const {
  const NodeId node = session_.task(task).nominated_node;
  if (!node.valid() || !session_.base().nodes.Contains(node)) return {};
  if (!session_.base().nodes[node].has_object() || !MayLookAt(node)) return {};
  std::vector<ReasonId> reasons;
  judge_.CollectReasons(task, node, true, &reasons);
  if (!reasons.empty()) return {};
  return {.node = node, .on_future_room = !judge_.HasRoomNow(task, node)};
}

TaskKind NodePicker::KindOf(TaskId task) const {
  const bool by_queue = GlobalFiltersConcern(session_, task, GlobalHooks::kByQueue) ||
                        GlobalScoresConcern(session_, task, GlobalHooks::kByQueue);
  const model::TaskRow& row = session_.task(task);
  return {row.shape, by_queue ? session_.job(row.job).queue : model::QueueId()};
}

NodeChoice NodePicker::PickWith(TaskId task, Room room) {
  for (ShardPart part : session_.shard().parts()) {
    if (const NodeChoice choice = PickAmong(task, {room, part}); choice.node.valid()) return choice;
  }
  return {};
}

NodeChoice NodePicker::PickAmong(TaskId task, NodeClass wanted) {
  const TaskKind kind = KindOf(task);
  const PartKind part_kind(kind, wanted.part);
  const bool idle = wanted.room == Room::kIdle;
  NodeId node;
  if (inside_.valid()) {
    ++scans_;
    node = global_.Best(task, wanted);
  } else if (global_.Concerns(task)) {
    if (idle) {
      std::optional<NodeId> known = PickFiltered(task, part_kind);
      if (!known) known = PickAlike(task, part_kind);
      if (known) return {.node = *known};
    }
    ++scans_;
    node = global_.Best(task, wanted);
  } else if (idle && UsesIndex(part_kind)) {
    node = IndexOf(task, part_kind).Best();
  } else if (kind.second.valid()) {
    ++scans_;
    node = global_.Best(task, wanted);
  } else {
    ++scans_;
    node = scan_.Best(kind.first, wanted);
  }
  return {.node = node, .on_future_room = wanted.room == Room::kFuture};
}

std::optional<NodeId> NodePicker::PickFiltered(TaskId task, const PartKind& kind) {
  if (!session_.hooks().best_node.empty()) return {};
  if (GlobalScoresConcern(session_, task, GlobalHooks::kByTask)) return {};
  if (!UsesIndex(kind)) return {};
  CandidateIndex& index = IndexOf(task, kind);
  if (index.normalises()) return {};
  return index.BestPassing([&](NodeId node) { return PassesGlobalFilters(session_, task, node); });
}

std::optional<NodeId> NodePicker::PickAlike(TaskId task, const PartKind& kind) {
  if (!session_.hooks().best_node.empty() || kind.first.second.valid()) return {};
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
AlikeIndex* NodePicker::AlikeIndexOf(TaskId task, const PartKind& kind,
                                     const NodeLikeness& likeness) {
  constexpr size_t kSharedNodesMax = 256;
  constexpr size_t kAlikeIndexesMax = 256;
  if (likeness.domains != nullptr && likeness.domains->domains() > AlikeIndex::kSegmentsMax) {
    return nullptr;
  }
  if (likeness.groups != nullptr && likeness.groups->groups > AlikeIndex::kGroupsMax) {
    return nullptr;
  }
  const DomainCounter* pods = likeness.pods;
  const bool shares = pods == nullptr || pods->nodes_with_pods().size() <= kSharedNodesMax;
  const AlikeKind alike{.shape = kind.first.first,
                        .part = kind.second,
                        .domains = likeness.domains,
                        .groups = likeness.groups,
                        .pods_by = pods == nullptr ? nullptr : &pods->topology(),
                        .counter = shares ? 0 : pods->id()};
  const auto known = alike_indexes_.find(alike);
  if (known == alike_indexes_.end()) {
    if (++picks_of_alike_[alike] == 1 || alike_indexes_.size() == kAlikeIndexesMax) return nullptr;
    ++index_builds_;
    auto fresh = std::make_unique<AlikeIndex>(session_, evaluator_, task, kind.second, likeness);
    return alike_indexes_.emplace(alike, std::move(fresh)).first->second.get();
  }
  return known->second.get();
}

CandidateIndex& NodePicker::IndexOf(TaskId task, const PartKind& kind) {
  std::unique_ptr<CandidateIndex>& index = indexes_[kind];
  ++index_answers_;
  if (index == nullptr) {
    ++index_builds_;
    const IndexScope scope{.by_queue = kind.first.second.valid(), .part = kind.second};
    index = std::make_unique<CandidateIndex>(session_, evaluator_, task, scope);
  }
  return *index;
}

// A kind asked for once is scanned; from the second time on an index pays for itself.
bool NodePicker::UsesIndex(const PartKind& kind) {
  constexpr size_t kIndexesMax = 1024;  // 160 KB each at 10,000 nodes.
  if (indexes_.contains(kind)) return true;
  return ++picks_of_kind_[kind] > 1 && indexes_.size() < kIndexesMax;
}

NodeChoice NodePicker::Refuse(TaskId task, ReasonId pre_filter, bool check_resources) {
  if (pre_filter == kFits) {
    session_.notes().RecordFit(task, Explain(task, check_resources));
    return {};
  }
  const int32_t nodes = NodesLookedAt();
  auto fit = std::make_shared<TaskFit>();
  fit->exemplar = task;
  fit->shape = session_.task(task).shape;
  fit->nodes_refused = nodes;
  fit->counts.push_back({session_.reasons().text(pre_filter), nodes});
  fit->hyper_node = NameInside();
  session_.notes().RecordFit(task, std::move(fit));
  return {};
}

std::shared_ptr<const TaskFit> NodePicker::Explain(TaskId task, bool check_resources) {
  const bool per_kind = !GlobalFiltersConcern(session_, task, GlobalHooks::kByTask);
  KindAnswers& known = answers_[KindOf(task)];
  if (per_kind && known.explained == Now()) return known.fit;
  auto fit = std::make_shared<TaskFit>();
  fit->exemplar = task;
  fit->shape = session_.task(task).shape;
  fit->hyper_node = NameInside();
  if (KindRefusals* kept = per_kind ? RefusalsOf(task, check_resources, &known) : nullptr) {
    kept->CatchUp(task);
    kept->Count().WriteTo(session_.reasons(), fit.get());
  } else {
    CountReasons(task, check_resources).WriteTo(session_.reasons(), fit.get());
  }
  if (per_kind) {
    known.explained = Now();
    known.fit = fit;
  }
  return fit;
}

// Kept from the second question about a kind on; null: all nodes are to be asked.
KindRefusals* NodePicker::RefusalsOf(TaskId task, bool check_resources, KindAnswers* known) {
  constexpr int32_t kKeptMax = 1024;  // 40 KB each at 10,000 nodes.
  if (inside_.valid()) return nullptr;
  if (known->refusals == nullptr) {
    if (!known->explained || kept_refusals_ == kKeptMax) return nullptr;
    ++kept_refusals_;
    known->refusals = std::make_unique<KindRefusals>(session_, judge_, task, check_resources);
  }
  return known->refusals->checks_resources() == check_resources ? known->refusals.get() : nullptr;
}

RefusalCounts NodePicker::CountReasons(TaskId task, bool check_resources) const {
  RefusalCounts counts;
  std::vector<ReasonId> reasons;
  const AskedRoom asked = check_resources ? judge_.RoomAskedBy(task) : AskedRoom();
  const auto ask = [&](NodeId node) {
    reasons.clear();
    judge_.CollectReasons(task, node, asked, &reasons);
    counts.Add(reasons);
  };
  if (inside_.valid()) {
    for (NodeRange run : session_.topology().tree()[inside_].runs) {
      for (NodeId node : run) ask(node);
    }
  } else {
    for (NodeId node : *session_.base().nodes_by_name) ask(node);
  }
  return counts;
}

bool NodePicker::AnyNodeTakes(TaskId task) {
  KindAnswers& known = answers_[KindOf(task)];
  const bool per_kind = !GlobalFiltersConcern(session_, task, GlobalHooks::kByTask);
  if (per_kind && known.explained == Now()) return known.fit->nodes_refused < NodesLookedAt();
  if (known.taker.valid() && MayLookAt(known.taker)) {
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

int64_t NodePicker::SlotsUpTo(TaskId task, int64_t enough) {
  const bool per_kind = !GlobalFiltersConcern(session_, task, GlobalHooks::kByTask);
  KindAnswers& known = answers_[KindOf(task)];
  const bool reaches = known.slots < known.slots_up_to || enough <= known.slots_up_to;
  if (per_kind && known.counted == Now() && reaches) return std::min(known.slots, enough);
  evaluator_.BeginScan();
  const int64_t slots = global_.SlotsUpTo(task, enough);
  if (per_kind) {
    known.counted = Now();
    known.slots = slots;
    known.slots_up_to = enough;
  }
  return slots;
}

NodeId NodePicker::BestFree(TaskId task) {
  if (!session_.votes().Allocatable(session_.job(session_.task(task).job).queue, task)) return {};
  const NodeId nominated = session_.task(task).nominated_node;
  if (nominated.valid() && MayLookAt(nominated) && judge_.PassesStatic(task, nominated) &&
      judge_.MayTake(task, nominated)) {
    return nominated;
  }
  return BestIn(task, nullptr);
}

NodeId NodePicker::BestIn(TaskId task, const NodeTest* inside) {
  if (!session_.votes().Allocatable(session_.job(session_.task(task).job).queue, task)) return {};
  const bool as_its_kind = inside == nullptr && !inside_.valid() && !global_.Concerns(task);
  for (const Room room : {Room::kIdle, Room::kFuture}) {
    if (room == Room::kFuture && session_.usage().releasing_tasks == 0) break;
    for (const ShardPart part : session_.shard().parts()) {
      const NodeClass wanted{room, part};
      const NodeId best =
          as_its_kind ? PickAmong(task, wanted).node : global_.BestAmong(task, wanted, inside);
      if (best.valid()) return best;
    }
  }
  return {};
}

bool NodePicker::FitsSomeEmptyNode(TaskId task) {
  const ShapeId shape = session_.task(task).shape;
  const auto [known, fresh] = fits_empty_.try_emplace(shape, false);
  if (fresh) known->second = framework::FitsSomeEmptyNode(session_, shape);
  return known->second;
}

}  // namespace bth::framework
