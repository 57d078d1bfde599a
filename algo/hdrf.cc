#include "algo/hdrf.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::algo {
namespace {

constexpr HdrfTree::NodeIndex kRoot = 0;

std::vector<std::string> Elements(std::string_view path) {
  std::vector<std::string> elements = SplitText(path, absl::MaxSplits('/', HdrfTree::kDepthMax));
  if (elements.size() > HdrfTree::kDepthMax) elements.resize(HdrfTree::kDepthMax);
  return elements;
}

auto AgeOf(const model::JobFacts& job) {
  return std::tie(job.created_us, job.uid, job.ns, job.name);
}

double WeightAt(const std::vector<std::string>& weights, size_t i) {
  double weight = 1;
  if (i >= weights.size() || !absl::SimpleAtod(weights[i], &weight)) return 1;
  return weight >= 1 ? weight : 1;  // Not a number is smaller, too.
}

}  // namespace

HdrfTree::HdrfTree(const ResourceVec& total) : total_(total) {
  nodes_.emplace_back();
  stale_.push_back(kRoot);
  UpdateDemanding();
}

HdrfTree::Path HdrfTree::AddQueue(std::string_view hierarchy, std::string_view weights) {
  const std::vector<std::string> names = Elements(hierarchy);
  const std::vector<std::string> texts = Elements(weights);
  Path path = {kRoot};
  for (size_t i = 1; i < names.size(); ++i) {
    path.push_back(ChildOf(path.back(), names[i], WeightAt(texts, i)));
  }
  return path;
}

HdrfTree::NodeIndex HdrfTree::ChildOf(NodeIndex parent, std::string_view name, double weight) {
  const auto next = static_cast<NodeIndex>(nodes_.size());
  const auto [it, added] = children_.try_emplace({parent, std::string(name)}, next);
  if (added) {
    Node node;
    node.parent = parent;
    node.standing.weight = weight;
    node.stale = false;
    node.name = name;
    nodes_.push_back(std::move(node));
    Link(next);
    MarkStale(next);
  } else if (nodes_[it->second].standing.weight != weight) {
    has_contradictions_ = true;
  }
  return it->second;
}

bool HdrfTree::ComesBefore(NodeIndex a, NodeIndex b) const {
  const Node& left = nodes_[a];
  const Node& right = nodes_[b];
  if (left.is_job != right.is_job) return right.is_job;
  if (!left.is_job) return left.name < right.name;
  if (left.facts == nullptr || right.facts == nullptr) return a < b;
  return AgeOf(*left.facts) < AgeOf(*right.facts);
}

void HdrfTree::Link(NodeIndex node) {
  std::vector<NodeIndex>& siblings = nodes_[nodes_[node].parent].children;
  const auto before = [this](NodeIndex a, NodeIndex b) { return ComesBefore(a, b); };
  siblings.insert(std::upper_bound(siblings.begin(), siblings.end(), node, before), node);
}

void HdrfTree::Unlink(NodeIndex node) {
  std::vector<NodeIndex>& siblings = nodes_[nodes_[node].parent].children;
  const auto before = [this](NodeIndex a, NodeIndex b) { return ComesBefore(a, b); };
  const auto first = std::lower_bound(siblings.begin(), siblings.end(), node, before);
  siblings.erase(std::find(first, siblings.end(), node));
}

HdrfTree::NodeIndex HdrfTree::AddJob(const Path& path, const ResourceVec& allocated,
                                     const ResourceVec& request,
                                     std::shared_ptr<const model::JobFacts> facts) {
  auto index = static_cast<NodeIndex>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back().stale = false;
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  Node& node = nodes_[index];
  node.parent = path.back();
  node.is_job = true;
  node.request = request;
  node.facts = std::move(facts);
  Link(index);
  // What was stale before it had this parent told the other one.
  nodes_[index].stale ? MarkStale(path.back()) : MarkStale(index);
  Change(index, allocated);
  return index;
}

void HdrfTree::RemoveJob(NodeIndex job) {
  Change(job, ResourceVec() - nodes_[job].allocated);
  Unlink(job);
  nodes_[job].facts = nullptr;
  nodes_[job].parent = kRoot;
  unused_.push_back(job);
}

void HdrfTree::Change(NodeIndex job, const ResourceVec& by) {
  nodes_[job].allocated += by;
  allocated_ += by;
  MarkStale(job);
  UpdateDemanding();
}

void HdrfTree::SetJob(NodeIndex job, const ResourceVec& allocated, const ResourceVec& request) {
  if (nodes_[job].request != request) {
    nodes_[job].request = request;
    MarkStale(job);
  }
  if (nodes_[job].allocated != allocated) Change(job, allocated - nodes_[job].allocated);
}

void HdrfTree::SetTotal(const ResourceVec& total) {
  if (total_ == total) return;
  total_ = total;
  UpdateDemanding();
  MarkAllStale();
}

// Ancestors of a stale node are stale: the walk up can stop at the first one.
void HdrfTree::MarkStale(NodeIndex node) {
  while (!nodes_[node].stale) {
    nodes_[node].stale = true;
    stale_.push_back(node);
    node = nodes_[node].parent;
  }
}

void HdrfTree::UpdateDemanding() {
  const DimMask demanding = DimsOver(total_, allocated_, total_.Positive());
  if (demanding == demanding_) return;
  demanding_ = demanding;  // Any job may have become saturated, or no longer be.
  MarkAllStale();
}

void HdrfTree::MarkAllStale() {
  for (NodeIndex i = 0; i < nodes_.size(); ++i) MarkStale(i);
}

void HdrfTree::Refresh() {
  // Children before parents.
  std::sort(stale_.begin(), stale_.end(), [this](NodeIndex a, NodeIndex b) {
    return nodes_[a].is_job != nodes_[b].is_job ? nodes_[a].is_job : a > b;
  });
  for (NodeIndex index : stale_) {
    Node& node = nodes_[index];
    if (node.is_job) {
      RecomputeJob(node);
    } else {
      RecomputeQueue(node);
    }
    node.stale = false;
  }
  stale_.clear();
}

// Only what the job already holds is looked at: one that holds nothing is never saturated.
void HdrfTree::RecomputeJob(Node& node) const {
  bool saturated = false;
  for (int d = 0; d < model::kDims; ++d) {
    node.amounts[static_cast<size_t>(d)] = static_cast<double>(node.allocated[d]);
    if (node.allocated[d] <= 0 || node.request[d] == 0) continue;
    const bool demanding = (demanding_ >> d & 1u) != 0;
    saturated = saturated || node.allocated[d] >= node.request[d] || !demanding;
  }
  node.standing.saturated = saturated;
  node.standing.share = ShareOf(node.amounts);
}

void HdrfTree::RecomputeQueue(Node& node) const {
  double least = 1;
  bool saturated = true;
  for (NodeIndex index : node.children) {
    const Standing& child = nodes_[index].standing;
    saturated = saturated && child.saturated;
    if (child.share != 0 && !child.saturated) least = std::min(least, child.share);
  }
  node.amounts = {};
  for (NodeIndex index : node.children) {
    const Node& child = nodes_[index];
    if (child.standing.share == 0) continue;
    const double scale = child.standing.saturated ? 1 : least / child.standing.share;
    for (size_t d = 0; d < model::kDims; ++d) node.amounts[d] += child.amounts[d] * scale;
  }
  node.standing.saturated = saturated;
  node.standing.share = ShareOf(node.amounts);
}

double HdrfTree::ShareOf(const Amounts& amounts) const {
  double largest = 0;
  for (int d = 0; d < model::kDims; ++d) {
    if (total_[d] <= 0) continue;
    largest = std::max(largest, amounts[static_cast<size_t>(d)] / static_cast<double>(total_[d]));
  }
  return largest;
}

int HdrfTree::Compare(const Path& left, const Path& right) {
  Refresh();
  const size_t length = std::min(left.size(), right.size());
  for (size_t i = 0; i < length; ++i) {
    const Standing& l = nodes_[left[i]].standing;
    const Standing& r = nodes_[right[i]].standing;
    if (l.saturated != r.saturated) return l.saturated ? 1 : -1;
    const double left_share = l.share / l.weight;
    const double right_share = r.share / r.weight;
    if (left_share != right_share) return left_share < right_share ? -1 : 1;
  }
  return 0;
}

HdrfTree::Standing HdrfTree::StandingOf(NodeIndex node) {
  Refresh();
  return nodes_[node].standing;
}

}  // namespace bth::algo
