#include "framework/topology/topology.h"

#include <algorithm>

#include "algo/hyper_node_tree.h"
#include "framework/topology/bounds.h"

namespace bth::framework {

using model::HyperNodeId;
using model::HyperNodeTree;
using model::JobId;
using model::NetworkTopologySpec;
using model::NodeId;
using model::SubJobId;
using model::TaskId;

namespace {

// Of HyperNodes up to that size single questions are answered by asking the nodes.
constexpr size_t kNodesAskedMax = 1024;

bool IsPlaced(const model::TaskState& state) {
  return state.node.valid() && model::InGroup(state.status, model::kOccupyingGroup);
}

}  // namespace

void Topology::Follow(HookTable& hooks) {
  hooks.on_place.Add({}, [this](const TaskMove& move) { Note(move.task, move.after.node, +1); });
  hooks.on_remove.Add({}, [this](const TaskMove& move) { Note(move.task, move.before.node, -1); });
}

void Topology::Note(TaskId task, NodeId node, int32_t sign) {
  if (jobs_.empty() && sub_jobs_.empty()) return;
  const model::TaskRow& row = base_.tasks[task];
  if (!row.job.valid() || !node.valid()) return;
  if (const auto job = jobs_.find(row.job); job != jobs_.end()) {
    job->second.Move(tree(), node, sign);
  }
  if (const auto sub_job = sub_jobs_.find(row.sub_job); sub_job != sub_jobs_.end()) {
    sub_job->second.Move(tree(), node, sign);
  }
}

const HyperNodeTree& Topology::tree() const {
  if (tree_ == nullptr) tree_ = base_.hyper_nodes;
  if (tree_ == nullptr) tree_ = algo::BuildHyperNodes({}, *base_.nodes_by_name).tree;
  return *tree_;
}

DomainSums& Topology::sums() const {
  if (sums_ == nullptr) sums_ = std::make_unique<DomainSums>(base_, placements_, tree());
  return *sums_;
}

int64_t Topology::SlotsIn(const Session& session, model::ShapeId shape, HyperNodeId id) const {
  auto known = slots_.find(shape);
  if (known == slots_.end()) {
    if (slots_.size() == kShapesMax) slots_.clear();
    known = slots_.emplace(shape, std::make_unique<DomainSlots>(session, shape)).first;
  }
  return known->second->Of(id);
}

bool Topology::HasFree(HyperNodeId id, const model::ResourceVec& minimum) const {
  if (minimum == model::ResourceVec()) return true;
  const model::HyperNodeRow& row = tree()[id];
  if (sums_ != nullptr || row.nodes > kNodesAskedMax) {
    const DomainSum& sum = sums().Of(id);
    return minimum.AllAtMost(sum.free) || minimum.AllAtMost(sum.free_later);
  }
  model::ResourceVec now;
  model::ResourceVec later;
  for (const model::NodeRange run : row.runs) {
    for (NodeId node : run) {
      now += AtLeastNothing(placements_.usage().idle[node]);
      later += AtLeastNothing(placements_.usage().FutureIdle(node));
    }
  }
  return minimum.AllAtMost(now) || minimum.AllAtMost(later);
}

int64_t Topology::SlotsUpTo(const Session& session, model::ShapeId shape, HyperNodeId id,
                            int64_t enough) const {
  if (slots_.contains(shape)) return std::min(SlotsIn(session, shape, id), enough);
  const model::HyperNodeRow& row = tree()[id];
  if (row.nodes > kNodesAskedMax) return enough;
  const NodeSlots slots(session, shape);
  int64_t sum = 0;
  for (const model::NodeRange run : row.runs) {
    for (NodeId node : run) sum += slots.On(node);
    if (sum >= enough) return enough;
  }
  return sum;
}

// Null: nothing.
const NetworkTopologySpec* Topology::SpecOf(SubJobId sub_job) const {
  const model::SubJobRow& row = base_.sub_jobs[sub_job];
  const std::vector<NetworkTopologySpec>& specs = base_.jobs[row.job].facts->topology;
  const auto at = static_cast<size_t>(int64_t{row.group} + 1);
  return at < specs.size() ? &specs[at] : nullptr;
}

std::optional<int32_t> Topology::BoundOf(JobId job) const {
  const std::vector<NetworkTopologySpec>& specs = base_.jobs[job].facts->topology;
  return specs.empty() ? std::nullopt : TierBound(tree(), specs.front());
}

std::optional<int32_t> Topology::BoundOf(SubJobId sub_job) const {
  const NetworkTopologySpec* spec = SpecOf(sub_job);
  if (spec == nullptr) return std::nullopt;
  return TierBound(tree(), base_.jobs[base_.sub_jobs[sub_job].job].facts->topology.front(), *spec);
}

// One that is soft stays within the bound of its job.
const NetworkTopologySpec* Topology::BindingSpecOf(SubJobId sub_job) const {
  const NetworkTopologySpec* spec = SpecOf(sub_job);
  if (spec == nullptr || spec->mode != NetworkTopologySpec::Mode::kSoft) return spec;
  return &base_.jobs[base_.sub_jobs[sub_job].job].facts->topology.front();
}

std::string Topology::UnknownTierOf(JobId job) const {
  const std::vector<NetworkTopologySpec>& specs = base_.jobs[job].facts->topology;
  return specs.empty() ? "" : UnknownTierText(tree(), specs.front());
}

std::string Topology::UnknownTierOf(SubJobId sub_job) const {
  const NetworkTopologySpec* spec = BindingSpecOf(sub_job);
  return spec == nullptr ? "" : UnknownTierText(tree(), *spec);
}

bool Topology::NamesUnknownTier(TaskId task) const {
  const model::TaskRow& row = base_.tasks[task];
  if (!row.job.valid() || !base_.jobs[row.job].has_network_topology) return false;
  const std::vector<NetworkTopologySpec>& specs = base_.jobs[row.job].facts->topology;
  if (!specs.empty() && framework::NamesUnknownTier(tree(), specs.front())) return true;
  const NetworkTopologySpec* spec = BindingSpecOf(row.sub_job);
  return spec != nullptr && framework::NamesUnknownTier(tree(), *spec);
}

bool Topology::IsBound(JobId job) const {
  if (!base_.jobs[job].has_network_topology || !enforced()) return false;
  if (BoundOf(job)) return true;
  for (SubJobId sub_job : *base_.jobs[job].sub_jobs) {
    if (BoundOf(sub_job)) return true;
  }
  return false;
}

bool Topology::Asks(SubJobId sub_job) const {
  const NetworkTopologySpec* spec = SpecOf(sub_job);
  return spec != nullptr && spec->mode != NetworkTopologySpec::Mode::kNone;
}

// As they are now.
GangPlaces Topology::CountPlaces(absl::Span<const TaskId> tasks) const {
  GangPlaces places;
  for (TaskId task : tasks) {
    const model::TaskState& state = placements_.usage().tasks[task];
    if (IsPlaced(state)) places.Move(tree(), state.node, +1);
  }
  return places;
}

GangPlaces& Topology::PlacesOf(JobId job) const {
  const auto [at, fresh] = jobs_.try_emplace(job);
  if (fresh) at->second = CountPlaces(*base_.jobs[job].tasks);
  return at->second;
}

GangPlaces& Topology::PlacesOf(SubJobId sub_job) const {
  const auto [at, fresh] = sub_jobs_.try_emplace(sub_job);
  if (fresh) at->second = CountPlaces(TasksOf(sub_job));
  return at->second;
}

HyperNodeId Topology::AllocatedIn(JobId job) const {
  return PlacesOf(job).Allocated(tree());
}
HyperNodeId Topology::AllocatedIn(SubJobId sub_job) const {
  return PlacesOf(sub_job).Allocated(tree());
}
int32_t Topology::TasksIn(SubJobId sub_job, HyperNodeId id) const {
  return PlacesOf(sub_job).In(id);
}

std::vector<HyperNodeId> Topology::HighestFor(JobId job) const {
  return PlacesOf(job).HighestUpTo(tree(), BoundOf(job).value_or(0));
}
std::vector<HyperNodeId> Topology::HighestFor(SubJobId sub_job) const {
  return PlacesOf(sub_job).HighestUpTo(tree(), BoundOf(sub_job).value_or(0));
}

int32_t Topology::covered_from() const {
  if (!covered_from_) {
    covered_from_ = 0;
    for (NodeId node : *base_.nodes_by_name) {
      covered_from_ = std::max(*covered_from_, tree().tier(tree().Of(node).front()));
    }
  }
  return *covered_from_;
}

// The root's tier is no bound. A gang without a place is kept off nodes that are in no HyperNode up
// to its bound.
template <typename Id>
const GangPlaces* Topology::PlacesThatBind(Id id, std::optional<int32_t> bound) const {
  if (!bound || *bound >= tree().tier(tree().root())) return nullptr;
  const GangPlaces& places = PlacesOf(id);
  return places.tasks() > 0 || *bound < covered_from() ? &places : nullptr;
}

bool Topology::Restricts(TaskId task) const {
  const model::TaskRow& row = base_.tasks[task];
  if (!row.job.valid() || !base_.jobs[row.job].has_network_topology || !enforced()) return false;
  return PlacesThatBind(row.job, BoundOf(row.job)) != nullptr ||
         PlacesThatBind(row.sub_job, BoundOf(row.sub_job)) != nullptr;
}

bool Topology::Permits(TaskId task, NodeId node) const {
  bool permits = true;
  ForEachOutside(task, model::NodeRange(node.index(), node.index() + 1),
                 [&permits](NodeId) { permits = false; });
  return permits;
}

// Nodes are inside when some HyperNode up to the bound has them and all that is placed: then the
// highest such has them too.
void Topology::ForEachOutside(TaskId task, model::NodeRange nodes,
                              absl::FunctionRef<void(NodeId)> refuse) const {
  const model::TaskRow& row = base_.tasks[task];
  if (!row.job.valid() || !base_.jobs[row.job].has_network_topology || !enforced()) return;
  std::vector<std::vector<HyperNodeId>> allowed;
  int32_t lowest_up_to = tree().tier(tree().root());  // For those that have no place.
  const auto look_at = [&](auto id, std::optional<int32_t> bound) {
    const GangPlaces* const places = PlacesThatBind(id, bound);
    if (places == nullptr) return;
    if (places->tasks() > 0) allowed.push_back(places->HighestUpTo(tree(), *bound));
    if (places->tasks() == 0) lowest_up_to = std::min(lowest_up_to, *bound);
  };
  const std::optional<int32_t> of_job = BoundOf(row.job);
  const std::optional<int32_t> of_sub_job = BoundOf(row.sub_job);
  look_at(row.job, of_job);
  const bool the_same = !base_.jobs[row.job].has_sub_group_policy && of_job == of_sub_job;
  if (!the_same) look_at(row.sub_job, of_sub_job);
  if (allowed.empty() && lowest_up_to == tree().tier(tree().root())) return;
  for (NodeId node : nodes) {
    const auto has_node = [&](HyperNodeId id) { return tree().Contains(id, node); };
    const auto inside = [&](const std::vector<HyperNodeId>& any) {
      return std::any_of(any.begin(), any.end(), has_node);
    };
    const absl::Span<const HyperNodeId> of = tree().Of(node);
    const bool reaches = !of.empty() && tree().tier(of.front()) <= lowest_up_to;
    if (!reaches || !std::all_of(allowed.begin(), allowed.end(), inside)) refuse(node);
  }
}

}  // namespace bth::framework
