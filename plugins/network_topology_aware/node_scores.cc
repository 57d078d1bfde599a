#include "plugins/network_topology_aware/node_scores.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "framework/topology/topology.h"

namespace bth::plugins::network_topology {

using framework::Topology;
using model::HyperNodeId;
using model::HyperNodeTree;
using model::NodeId;
using model::ResourceVec;
using model::SubJobId;
using model::TaskId;

namespace {

constexpr double kTop = 100;

int32_t CountTasks(const framework::Session& session, SubJobId sub_job) {
  return model::CountStatuses(session.usage().sub_jobs[sub_job].by_status, ~0u);
}

// Those that share the highest score, if there are several, gain what part of the sub-job is there.
template <typename PlaceOf>
void AddShares(const framework::Session& session, SubJobId sub_job, absl::Span<double> scores,
               const PlaceOf& place_of) {
  if (scores.size() < 2 || !session.topology().AllocatedIn(sub_job).valid()) return;
  const double most = *std::max_element(scores.begin(), scores.end());
  if (std::count(scores.begin(), scores.end(), most) < 2) return;
  const int32_t tasks = CountTasks(session, sub_job);
  if (tasks == 0) return;
  HyperNodeId last;
  double share = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] != most) continue;
    if (const HyperNodeId place = place_of(i); place != last) {
      last = place;
      share = static_cast<double>(session.topology().TasksIn(sub_job, place)) / tasks;
    }
    scores[i] += share;
  }
}

}  // namespace

NodeScores::NodeScores(const framework::Session& session, const Options& options)
    : session_(session),
      options_(options),
      packing_(session, options),
      tier_weights_(WeightsOf(session.topology().tree().tiers, options.fading)) {}

bool NodeScores::AsksForTopology(TaskId task) const {
  const model::TaskRow& row = session_.task(task);
  return row.job.valid() && session_.job(row.job).has_network_topology &&
         session_.topology().Asks(row.sub_job);
}

bool NodeScores::Concerns(TaskId task) const {
  const Topology& topology = session_.topology();
  if (options_.weight == 0 || topology.tree().rows.size() == 1) return false;
  if (AsksForTopology(task)) return topology.AllocatedIn(session_.task(task).sub_job).valid();
  return options_.scores_normal_pods && std::isfinite(tier_weights_.sum) && tier_weights_.sum > 0;
}

void NodeScores::Add(TaskId task, absl::Span<const NodeId> nodes, absl::Span<double> sum) const {
  if (!Concerns(task)) return;
  if (AsksForTopology(task)) {
    AddNear(task, nodes, sum);
  } else {
    AddPacked(task, nodes, sum);
  }
}

bool NodeScores::Likeness(TaskId task, framework::NodeLikeness* out) const {
  if (AsksForTopology(task)) return false;
  out->groups = &session_.topology().tree().groups;
  return true;
}

void NodeScores::AddAlike(TaskId task, absl::Span<const framework::AlikeNodes> groups,
                          absl::Span<double> sum) const {
  std::vector<NodeId> nodes;
  nodes.reserve(groups.size());
  for (const framework::AlikeNodes& group : groups) nodes.push_back(group.one);
  AddPacked(task, nodes, sum);
}

void NodeScores::AddNear(TaskId task, absl::Span<const NodeId> nodes,
                         absl::Span<double> sum) const {
  const Topology& topology = session_.topology();
  const HyperNodeTree& tree = topology.tree();
  const SubJobId sub_job = session_.task(task).sub_job;
  const HyperNodeId allocated = topology.AllocatedIn(sub_job);
  const double lowest = tree.tiers.front();
  const double highest = tree.tiers.back();
  std::vector<double> scores(nodes.size(), 0);
  // Neighbours are mostly in the same one.
  HyperNodeId last;
  double score = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const HyperNodeId own = tree.Of(nodes[i]).front();
    if (own != last) {
      last = own;
      score = 0;
      if (own == allocated && own != tree.root()) {
        score = 1;
      } else if (highest > lowest) {
        const double common = tree.tier(tree.LowestCommon(own, allocated));
        score = (highest - common) / (highest - lowest);
      }
    }
    scores[i] = score;
  }
  AddShares(session_, sub_job, absl::MakeSpan(scores),
            [&](size_t i) { return tree.Of(nodes[i]).front(); });
  for (size_t i = 0; i < nodes.size(); ++i) sum[i] += scores[i] * kTop * options_.weight;
}

void NodeScores::AddPacked(TaskId task, absl::Span<const NodeId> nodes,
                           absl::Span<double> sum) const {
  const Topology& topology = session_.topology();
  const HyperNodeTree& tree = topology.tree();
  const ResourceVec& request = session_.request(task);
  if (packed_.size() > kShapesMax) packed_.clear();
  IdVector<HyperNodeId, Packed>& known = packed_[session_.task(task).shape];
  if (known.empty()) known.resize(tree.rows.size());
  framework::DomainSums& sums = topology.sums();
  const auto score_of = [&](HyperNodeId id) {
    Packed& packed = known[id];
    const framework::DomainSum& domain = sums.Of(id);
    if (packed.version != domain.version) {
      packed = {domain.version, packing_.Score(request, domain)};
    }
    return packed.score;
  };
  // Neighbours are mostly in the same ones.
  absl::Span<const HyperNodeId> last;
  double value = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto of = tree.Of(nodes[i]);
    if (of != last) {
      double total = tier_weights_.full;
      size_t at = 0;
      for (size_t t = 0; t < tree.tiers.size(); ++t) {
        while (at < of.size() && tree.tier(of[at]) < tree.tiers[t]) ++at;
        const bool in_one = at < of.size() && tree.tier(of[at]) == tree.tiers[t];
        total += tier_weights_.weights[t] * (in_one ? score_of(of[at]) : 1);
      }
      value = total / tier_weights_.sum * kTop * options_.weight;
      last = of;
    }
    sum[i] += value;
  }
}

void NodeScores::AddOrder(SubJobId sub_job, absl::Span<const HyperNodeId> candidates,
                          absl::Span<double> sum) const {
  const Topology& topology = session_.topology();
  const HyperNodeId root = topology.tree().root();
  // What is there already is in use, and not asked for again.
  ResourceVec request;
  absl::flat_hash_map<HyperNodeId, ResourceVec> there;
  for (TaskId task : topology.TasksOf(sub_job)) {
    const model::TaskState& state = session_.state(task);
    request += session_.request(task);
    if (!model::InGroup(state.status, model::kAllocatedGroup)) continue;
    for (HyperNodeId id : topology.tree().Of(state.node)) there[id] += session_.request(task);
  }
  std::vector<double> scores(candidates.size(), 0);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto known = there.empty() ? there.end() : there.find(candidates[i]);
    const ResourceVec more = known == there.end() ? request : request - known->second;
    framework::DomainSums& sums = topology.sums();
    scores[i] = options_.prefers_tightest
                    ? packing_.Tightness(more, sums.Of(candidates[i]), sums.Of(root))
                    : packing_.Score(more, sums.Of(candidates[i]));
  }
  AddShares(session_, sub_job, absl::MakeSpan(scores), [&](size_t i) { return candidates[i]; });
  for (size_t i = 0; i < candidates.size(); ++i) sum[i] += scores[i] * kTop * options_.weight;
}

void NodeScores::AddMost(SubJobId sub_job, const ResourceVec& before,
                         absl::Span<const HyperNodeId> candidates, absl::Span<double> sum) const {
  framework::DomainSums& sums = session_.topology().sums();
  const framework::DomainSum& all = sums.Of(session_.topology().tree().root());
  ResourceVec request;
  for (TaskId task : session_.topology().TasksOf(sub_job)) request += session_.request(task);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const framework::DomainSum& one = sums.Of(candidates[i]);
    const double most = options_.prefers_tightest
                            ? packing_.MostTightness(request, before, one, all)
                            : packing_.MostScore(request, before, one);
    sum[i] += most * kTop * options_.weight;
  }
}

}  // namespace bth::plugins::network_topology
