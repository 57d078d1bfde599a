#include "algo/hdrf.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::algo {
namespace {

constexpr HdrfTree::NodeIndex kRoot = 0;

std::vector<std::string> Elements(std::string_view path) {
  std::vector<std::string> elements =
      absl::StrSplit(ToAbsl(path), absl::MaxSplits('/', HdrfTree::kDepthMax));
  if (elements.size() > HdrfTree::kDepthMax) elements.resize(HdrfTree::kDepthMax);
  return elements;
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
    nodes_.push_back(std::move(node));
    nodes_[parent].children.push_back(next);
    MarkStale(next);
  }
  return it->second;
}

HdrfTree::NodeIndex HdrfTree::AddJob(const Path& path, const ResourceVec& allocated,
                                     const ResourceVec& request) {
  const auto index = static_cast<NodeIndex>(nodes_.size());
  Node node;
  node.parent = path.back();
  node.is_job = true;
  node.stale = false;
  node.request = request;
  nodes_.push_back(std::move(node));
  nodes_[path.back()].children.push_back(index);
  MarkStale(index);
  Change(index, allocated);
  return index;
}

void HdrfTree::Change(NodeIndex job, const ResourceVec& by) {
  nodes_[job].allocated += by;
  allocated_ += by;
  MarkStale(job);
  UpdateDemanding();
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
  for (NodeIndex i = 0; i < nodes_.size(); ++i) MarkStale(i);
}

void HdrfTree::Refresh() {
  std::sort(stale_.begin(), stale_.end(), std::greater<>());  // Children before parents.
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
