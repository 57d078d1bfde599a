#include "framework/nodes/node_picker.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/strings.h"
#include "framework/peers/peer_counter.h"

namespace bth::framework {
namespace {

using model::NodeId;
using model::NodeRange;
using model::ShapeId;
using model::TaskId;

// The first requested dimension that is not free, -1 when none: cpu, memory, pods, then by name.
// The numbers of other dimensions depend on who asked first.
int FirstMissingByName(const model::ResourceVec& request, const model::ResourceVec& free,
                       const model::DimensionTable& dims) {
  int first = request.FirstMissing(free);
  if (first < model::kFixedDims) return first;
  for (int d = first + 1; d < dims.size(); ++d) {
    const bool missing = request[d] > 0 && request[d] > free[d];
    if (missing && dims.name(d) < dims.name(first)) first = d;
  }
  return first;
}

}  // namespace

NodePicker::NodePicker(Session& session)
    : session_(session),
      evaluator_(session),
      scan_(session, evaluator_),
      global_(session, evaluator_) {
  for (int d = 0; d < session.dims().size(); ++d) {
    missing_.push_back(session.reasons().RegisterLack(
        static_cast<size_t>(d), absl::StrCat("Insufficient ", ToAbsl(session.dims().name(d)))));
  }
}

NodePicker::~NodePicker() = default;

ReasonId NodePicker::PreFilter(TaskId task) const {
  for (const auto& entry : session_.hooks().pre_filter) {
    if (const ReasonId reason = entry.fn(task); reason != kFits) return reason;
  }
  return kFits;
}

NodeChoice NodePicker::Pick(TaskId task) {
  if (const ReasonId reason = PreFilter(task); reason != kFits) return Refuse(task, reason, true);
  if (const NodeChoice nominated = PickNominated(task); nominated.node.valid()) return nominated;
  if (const NodeChoice now = PickAmong(task, Room::kIdle); now.node.valid()) return now;
  const model::Usage& usage = session_.usage();
  if (usage.releasing_tasks > 0) {
    if (const NodeChoice later = PickAmong(task, Room::kFuture); later.node.valid()) return later;
  }
  return Refuse(task, kFits, true);
}

NodeChoice NodePicker::PickForBestEffort(TaskId task) {
  if (const ReasonId reason = PreFilter(task); reason != kFits) return Refuse(task, reason, false);
  if (const NodeChoice choice = PickAmong(task, Room::kAny); choice.node.valid()) return choice;
  return Refuse(task, kFits, false);
}

NodeChoice NodePicker::PickNominated(TaskId task) const {
  const NodeId node = session_.task(task).nominated_node;
  if (!node.valid() || !session_.base().nodes.Contains(node)) return {};
  if (!session_.base().nodes[node].ready()) return {};
  std::vector<ReasonId> reasons;
  CollectReasons(task, node, true, &reasons);
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
  const PeerCounter* pods = likeness.pods;
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
    session_.RecordFit(task, Explain(task, check_resources));
    return {};
  }
  const auto nodes = static_cast<int32_t>(session_.base().nodes_by_name->size());
  auto fit = std::make_shared<TaskFit>();
  fit->exemplar = task;
  fit->shape = session_.task(task).shape;
  fit->nodes_refused = nodes;
  fit->counts.push_back({pre_filter, nodes});
  session_.RecordFit(task, std::move(fit));
  return {};
}

void NodePicker::CollectReasons(TaskId task, NodeId node, bool check_resources,
                                std::vector<ReasonId>* out) const {
  const HookTable& hooks = session_.hooks();
  const ShapeId shape = session_.task(task).shape;
  if (check_resources) {
    const model::ResourceVec future = session_.usage().FutureIdle(node);
    const int dim = FirstMissingByName(session_.shape(shape).request, future, session_.dims());
    if (dim >= 0) {
      out->push_back(missing_[static_cast<size_t>(dim)]);
      return;
    }
  }
  const NodeRange run(node.index(), node.index() + 1);
  const model::PodConstraints& constraints = session_.base().constraints_of(shape);
  // Filters are asked in order of registration. Those of one plugin are all asked unless one
  // aborts; those of a later plugin only if nothing was found before.
  std::string_view refused_by;
  bool aborted = false;
  const auto skip = [&](const HookOrigin& origin) {
    return aborted || (!out->empty() && origin.plugin != refused_by);
  };
  const auto take = [&](const HookOrigin& origin, ReasonId verdict) {
    if (verdict == kFits) return;
    out->push_back(verdict);
    refused_by = origin.plugin;
    aborted = session_.reasons().Aborts(verdict);
  };
  const auto ask = [&](const auto& entry, const auto& subject) {
    if (skip(entry.origin)) return;
    ReasonId verdict = kFits;
    entry.fn(subject, run, absl::Span<ReasonId>(&verdict, 1));
    take(entry.origin, verdict);
  };
  size_t u = 0;
  size_t s = 0;
  size_t g = 0;
  const auto position = [](const auto& list, size_t i) {
    return i < list.size() ? list[i].origin.position : std::numeric_limits<int>::max();
  };
  for (size_t left =
           hooks.usage_filter.size() + hooks.static_filter.size() + hooks.global_filter.size();
       left > 0; --left) {
    const int pu = position(hooks.usage_filter, u);
    const int ps = position(hooks.static_filter, s);
    const int pg = position(hooks.global_filter, g);
    if (pu < ps && pu < pg) {
      ask(hooks.usage_filter[u++], shape);
    } else if (ps < pg) {
      ask(hooks.static_filter[s++], constraints);
    } else {
      ask(hooks.global_filter[g++], task);
    }
  }
}

std::shared_ptr<const TaskFit> NodePicker::Explain(TaskId task, bool check_resources) {
  const ShapeId shape = session_.task(task).shape;
  const bool per_kind = !GlobalFiltersConcern(session_, task, GlobalHooks::kByTask);
  Explained& known = explained_[KindOf(task)];
  if (per_kind && known.fit != nullptr && known.version == session_.version()) return known.fit;
  std::vector<int32_t> counts(session_.reasons().size(), 0);
  auto fit = std::make_shared<TaskFit>();
  fit->exemplar = task;
  fit->shape = shape;
  std::vector<ReasonId> reasons;
  for (NodeId node : *session_.base().nodes_by_name) {
    reasons.clear();
    CollectReasons(task, node, check_resources, &reasons);
    if (reasons.empty()) continue;
    ++fit->nodes_refused;
    for (ReasonId reason : reasons) ++counts[reason];
  }
  for (size_t reason = 1; reason < counts.size(); ++reason) {
    if (counts[reason] > 0) fit->counts.push_back({static_cast<ReasonId>(reason), counts[reason]});
  }
  if (per_kind) {
    known.version = session_.version();
    known.fit = fit;
  }
  return fit;
}

bool NodePicker::AnyNodeTakes(TaskId task) {
  Explained& known = explained_[KindOf(task)];
  const bool per_kind = !GlobalFiltersConcern(session_, task, GlobalHooks::kByTask);
  if (per_kind && known.fit != nullptr && known.version == session_.version()) {
    return known.fit->nodes_refused < static_cast<int32_t>(session_.base().nodes_by_name->size());
  }
  if (known.taker.valid()) {
    std::vector<ReasonId> reasons;
    CollectReasons(task, known.taker, true, &reasons);
    if (reasons.empty()) return true;
  }
  evaluator_.BeginScan();
  known.taker = global_.FirstTaker(task, Room::kIdle);
  if (!known.taker.valid() && session_.usage().releasing_tasks > 0) {
    known.taker = global_.FirstTaker(task, Room::kFuture);
  }
  return known.taker.valid();
}

bool NodePicker::Takes(NodeId node, TaskId task) const {
  const model::ShapeRow& shape = session_.shape(session_.task(task).shape);
  if (!shape.best_effort && !shape.request.FitsIn(session_.usage().FutureIdle(node))) return false;
  std::vector<ReasonId> reasons;
  CollectReasons(task, node, !shape.best_effort, &reasons);
  return reasons.empty();
}

NodeChoice NodePicker::PickSlowly(TaskId task, bool check_resources) const {
  if (PreFilter(task) != kFits) return {};
  if (check_resources) {
    if (const NodeChoice nominated = PickNominated(task); nominated.node.valid()) return nominated;
  }
  const ShapeId shape = session_.task(task).shape;
  const model::ResourceVec& request = session_.request(task);
  std::vector<NodeId> now;
  std::vector<NodeId> later;
  std::vector<ReasonId> reasons;
  for (NodeId node : *session_.base().nodes_by_name) {
    reasons.clear();
    CollectReasons(task, node, check_resources, &reasons);
    if (!reasons.empty()) continue;
    const bool fits_now = !check_resources || request.FitsIn(session_.usage().idle[node]);
    (fits_now ? now : later).push_back(node);
  }
  const std::vector<NodeId>& nodes = now.empty() ? later : now;
  StaticFitCache fresh;
  const auto fit = fresh.Get(session_, session_.shape(shape).constraints);
  std::vector<int64_t> maxima(session_.hooks().static_score.size(), 0);
  for (NodeId node : nodes) evaluator_.RaiseMaxima(*fit, node, absl::MakeSpan(maxima));
  const ScoreBasis basis{.fit = *fit, .maxima = maxima};
  std::vector<double> scores(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    evaluator_.Score(shape, basis, NodeRange(nodes[i].index(), nodes[i].index() + 1),
                     absl::Span<double>(&scores[i], 1));
  }
  for (const auto& entry : session_.hooks().global_score) {
    entry.fn(task, nodes, absl::MakeSpan(scores));
  }
  RankedNode best;
  for (size_t i = 0; i < nodes.size(); ++i) {
    best.Offer(nodes[i], scores[i], session_.base().nodes[nodes[i]].name_rank);
  }
  return {.node = best.node, .on_future_room = now.empty() && best.node.valid()};
}

}  // namespace bth::framework
