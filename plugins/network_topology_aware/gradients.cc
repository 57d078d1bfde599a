#include "plugins/network_topology_aware/gradients.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "algo/queue_claims.h"
#include "base/strings.h"
#include "framework/topology/bounds.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"

namespace bth::plugins::network_topology {
namespace {

using framework::HyperNodeGradient;
using framework::HyperNodeQuestion;
using framework::Session;
using framework::Topology;
using model::HyperNodeId;
using model::HyperNodeTree;
using model::ResourceVec;
using model::TaskId;

using Rows = std::vector<std::vector<HyperNodeId>>;

// What must fit: what a job, of which nothing has a place, lacks of its minResources; of a sub-job
// what waits, or as many of its smallest tasks as its minimum lacks, dimension by dimension.
ResourceVec MinimumOf(const Session& session, const HyperNodeQuestion& question) {
  if (!question.sub_job.valid()) {
    return algo::LacksOfMinimum({session.base(), session.usage(), question.job});
  }
  ResourceVec all;
  std::optional<ResourceVec> least;
  for (TaskId task : session.topology().TasksOf(question.sub_job)) {
    if (session.state(task).status != model::TaskStatus::kPending) continue;
    const ResourceVec& request = session.request(task);
    all += request;
    if (!question.for_least || request.IsEmpty()) continue;
    if (!least) least = request;
    for (int d = 0; d < model::kDims; ++d) (*least)[d] = std::min((*least)[d], request[d]);
  }
  if (!question.for_least) return all;
  if (!least) return {};
  const int64_t lacking = framework::TasksLacking(session, question.sub_job);
  for (int64_t& quantity : least->q) quantity *= lacking;
  return *least;
}

// Where to look for a gang that has a place; empty: nowhere.
std::vector<HyperNodeId> RootsFor(const Topology& topology, const HyperNodeQuestion& question,
                                  HyperNodeId allocated, int32_t bound, std::string* why_none) {
  const HyperNodeTree& tree = topology.tree();
  const HyperNodeId inside = question.inside;
  const std::vector<HyperNodeId> highest = question.sub_job.valid()
                                               ? topology.HighestFor(question.sub_job)
                                               : topology.HighestFor(question.job);
  if (highest.empty()) {
    *why_none = StrCat("allocated hyperNode ", tree[allocated].name,
                       " tier is greater than highest allowed tier ", bound);
    return {};
  }
  std::vector<HyperNodeId> roots;
  for (HyperNodeId id : highest) {
    const HyperNodeId common = tree.LowestCommon(inside, id);
    if (common == id) return {inside};
    if (common == inside) roots.push_back(id);
  }
  if (roots.empty()) {
    *why_none = StrCat("there is no intersection between hyperNodeAvailable ", tree[inside].name,
                       " and hyperNodeHighestAllowed ", tree[highest.front()].name);
  }
  return roots;
}

// These and all below them, by number: by tier, then by name.
std::vector<HyperNodeId> AllIn(const HyperNodeTree& tree, std::vector<HyperNodeId> roots) {
  std::vector<HyperNodeId> all;
  if (roots.front() == tree.root()) {
    all.reserve(tree.rows.size());
    for (size_t i = 0; i < tree.rows.size(); ++i) all.push_back(HyperNodeId::FromIndex(i));
    return all;
  }
  all = std::move(roots);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<HyperNodeId>& children = tree[all[i]].children;
    all.insert(all.end(), children.begin(), children.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

Rows ByTier(const HyperNodeTree& tree, const std::vector<HyperNodeId>& found) {
  Rows rows;
  for (HyperNodeId id : found) {
    if (rows.empty() || tree.tier(rows.back().front()) != tree.tier(id)) rows.emplace_back();
    rows.back().push_back(id);
  }
  return rows;
}

}  // namespace

Rows ForEviction(Rows rows, size_t most) {
  std::reverse(rows.begin(), rows.end());
  size_t left = most;
  for (std::vector<HyperNodeId>& row : rows) {
    if (row.size() > left) row.erase(row.begin(), row.end() - static_cast<ptrdiff_t>(left));
    left -= row.size();
  }
  std::erase_if(rows, [](const auto& row) { return row.empty(); });
  return rows;
}

HyperNodeGradient GradientOf(const Session& session, const HyperNodeQuestion& question,
                             size_t evict_most) {
  const Topology& topology = session.topology();
  const HyperNodeTree& tree = topology.tree();
  const bool whole = !question.sub_job.valid();
  const std::optional<int32_t> bound =
      whole ? topology.BoundOf(question.job) : topology.BoundOf(question.sub_job);
  if (!bound) return {.rows = {{question.inside}}};
  HyperNodeGradient out;
  if (*bound == framework::kNoTier) {
    out.why_none =
        whole ? topology.UnknownTierOf(question.job) : topology.UnknownTierOf(question.sub_job);
  }
  if (!out.why_none.empty()) return out;
  const HyperNodeId allocated =
      whole ? topology.AllocatedIn(question.job) : topology.AllocatedIn(question.sub_job);
  std::vector<HyperNodeId> roots = {question.inside};
  if (allocated.valid()) roots = RootsFor(topology, question, allocated, *bound, &out.why_none);
  if (roots.empty()) return out;
  const ResourceVec minimum = allocated.valid() ? ResourceVec() : MinimumOf(session, question);
  if (!question.for_eviction) out.minimum = minimum;
  const auto holds = [&](HyperNodeId id) {
    if (tree[id].nodes == 0) return false;
    if (allocated.valid() || minimum == ResourceVec()) return true;
    const framework::DomainSum& sum = topology.sums().Of(id);
    if (question.for_eviction) return minimum.AllAtMost(sum.allocatable);
    return minimum.AllAtMost(sum.free) || minimum.AllAtMost(sum.free_later);
  };
  std::vector<HyperNodeId> found = AllIn(tree, roots);
  std::erase_if(found, [&](HyperNodeId id) { return tree.tier(id) > *bound || !holds(id); });
  // Where the rest of the gang is comes before what is lower in the tree, but elsewhere.
  const bool starts_there = !question.for_eviction && std::erase(found, allocated) > 0;
  out.rows = ByTier(tree, found);
  if (starts_there) out.rows.insert(out.rows.begin(), {allocated});
  if (question.for_eviction) out.rows = ForEviction(std::move(out.rows), evict_most);
  if (out.rows.empty()) {
    out.why_none =
        StrCat("no HyperNode up to tier ", *bound, " in ",
               roots.front() == tree.root() ? "the cluster" : tree[roots.front()].name, " has ",
               question.for_eviction ? "" : "enough free for ", "the minimum resources");
  }
  return out;
}

}  // namespace bth::plugins::network_topology
