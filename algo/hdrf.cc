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
    node.weight = weight;
    node.name = name;
    nodes_.push_back(std::move(node));
    Link(next);
    MarkStale(next);
  } else if (nodes_[it->second].weight != weight) {
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
  nodes_[node].position = 0;  // Given out with the next sums.
  Reshape(nodes_[node].parent);
}

void HdrfTree::Unlink(NodeIndex node) {
  std::vector<NodeIndex>& siblings = nodes_[nodes_[node].parent].children;
  const auto before = [this](NodeIndex a, NodeIndex b) { return ComesBefore(a, b); };
  const auto first = std::lower_bound(siblings.begin(), siblings.end(), node, before);
  siblings.erase(std::find(first, siblings.end(), node));
  nodes_[node].position = kUnlinked;
  Reshape(nodes_[node].parent);
}

HdrfTree::NodeIndex HdrfTree::AddJob(const Path& path, const ResourceVec& allocated,
                                     const ResourceVec& request,
                                     std::shared_ptr<const model::JobFacts> facts) {
  auto index = static_cast<NodeIndex>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
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
  views_.clear();
  UpdateDemanding();
}

void HdrfTree::Reshape(NodeIndex queue) {
  for (View& view : views_) {
    MarkStale(view, queue);
    view.rows[queue].sums = nullptr;
  }
}

void HdrfTree::MarkStale(NodeIndex node) {
  for (View& view : views_) MarkStale(view, node);
}

// Ancestors of a stale node are stale: the walk up can stop at the first one.
void HdrfTree::MarkStale(View& view, NodeIndex node) const {
  if (view.rows.size() < nodes_.size()) view.rows.resize(nodes_.size());
  while (!view.rows[node].stale) {
    view.rows[node].stale = true;
    view.stale.push_back(node);
    node = nodes_[node].parent;
  }
}

void HdrfTree::UpdateDemanding() {
  demanding_ = DimsOver(total_, allocated_, total_.Positive());
}

HdrfTree::View& HdrfTree::FreshView() {
  auto view = std::find_if(views_.begin(), views_.end(),
                           [this](const View& known) { return known.demanding == demanding_; });
  if (view == views_.end()) {
    if (views_.size() == kViewsMax) views_.pop_back();
    view = views_.insert(views_.end(), View());
    view->demanding = demanding_;
    for (NodeIndex i = 0; i < nodes_.size(); ++i) MarkStale(*view, i);
  }
  std::rotate(views_.begin(), view, view + 1);
  Refresh(views_.front());
  return views_.front();
}

void HdrfTree::Refresh(View& view) {
  // Children before parents.
  std::sort(view.stale.begin(), view.stale.end(), [this](NodeIndex a, NodeIndex b) {
    return nodes_[a].is_job != nodes_[b].is_job ? nodes_[a].is_job : a > b;
  });
  work_ += view.stale.size();
  for (NodeIndex index : view.stale) {
    if (nodes_[index].is_job) {
      RecomputeJob(view, index);
    } else {
      RecomputeQueue(view, index);
    }
    TellParent(view, index);
    view.rows[index].stale = false;
  }
  view.stale.clear();
}

// Only what the job already holds is looked at: one that holds nothing is never saturated.
void HdrfTree::RecomputeJob(View& view, NodeIndex index) const {
  const Node& node = nodes_[index];
  bool saturated = false;
  for (int d = 0; d < model::kDims; ++d) {
    if (node.allocated[d] <= 0 || node.request[d] == 0) continue;
    const bool demanding = (view.demanding >> d & 1u) != 0;
    saturated = saturated || node.allocated[d] >= node.request[d] || !demanding;
  }
  view.rows[index].saturated = saturated;
  view.rows[index].share = ShareOf(AmountsOf(view, index));
}

void HdrfTree::RecomputeQueue(View& view, NodeIndex index) {
  Row& row = view.rows[index];
  if (row.sums == nullptr) {
    const std::vector<NodeIndex>& children = nodes_[index].children;
    row.sums = std::make_unique<HdrfSums>(children.size(), total_.Positive());
    uint32_t position = 0;
    work_ += children.size();
    for (NodeIndex child : children) {
      nodes_[child].position = position++;
      TellParent(view, child);
    }
  }
  const uint64_t before = row.sums->work();
  row.sums->Refresh();
  work_ += row.sums->work() - before;
  row.saturated = row.sums->saturated();
  row.share = ShareOf(row.sums->amounts());
}

// Sums that are still to be made look at all children then.
void HdrfTree::TellParent(View& view, NodeIndex index) const {
  const Node& node = nodes_[index];
  if (index == kRoot || node.position == kUnlinked) return;
  HdrfSums* const sums = view.rows[node.parent].sums.get();
  if (sums == nullptr) return;
  const Row& row = view.rows[index];
  sums->Set(node.position, AmountsOf(view, index), row.share, row.saturated);
}

HdrfTree::Amounts HdrfTree::AmountsOf(const View& view, NodeIndex index) const {
  if (!nodes_[index].is_job) return view.rows[index].sums->amounts();
  Amounts amounts;
  for (int d = 0; d < model::kDims; ++d) {
    amounts[static_cast<size_t>(d)] = static_cast<double>(nodes_[index].allocated[d]);
  }
  return amounts;
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
  const View& view = FreshView();
  const size_t length = std::min(left.size(), right.size());
  for (size_t i = 0; i < length; ++i) {
    const Row& l = view.rows[left[i]];
    const Row& r = view.rows[right[i]];
    if (l.saturated != r.saturated) return l.saturated ? 1 : -1;
    const double left_share = l.share / nodes_[left[i]].weight;
    const double right_share = r.share / nodes_[right[i]].weight;
    if (left_share != right_share) return left_share < right_share ? -1 : 1;
  }
  return 0;
}

HdrfTree::Standing HdrfTree::StandingOf(NodeIndex node) {
  const Row& row = FreshView().rows[node];
  return {.share = row.share, .weight = nodes_[node].weight, .saturated = row.saturated};
}

}  // namespace bth::algo
