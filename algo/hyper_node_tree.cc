#include "algo/hyper_node_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"

namespace bth::algo {
namespace {

using model::HyperNodeId;
using model::HyperNodeRow;
using model::HyperNodeTree;
using model::NodeId;
using model::NodeRange;

// As many as one question to a run of nodes may be about.
constexpr size_t kRunNodesMax = 256;

std::vector<NodeRange> RunsOf(const std::vector<NodeId>& nodes) {
  std::vector<NodeRange> runs;
  for (size_t i = 0; i < nodes.size();) {
    size_t end = i + 1;
    while (end < nodes.size() && end - i < kRunNodesMax &&
           nodes[end].index() == nodes[end - 1].index() + 1) {
      ++end;
    }
    runs.emplace_back(nodes[i].index(), nodes[end - 1].index() + 1);
    i = end;
  }
  return runs;
}

class Builder {
 public:
  Builder(absl::Span<const HyperNodeInput> inputs, absl::Span<const NodeId> ready)
      : inputs_(inputs), ready_(ready.begin(), ready.end()), order_(inputs.size()) {
    std::sort(ready_.begin(), ready_.end());
  }

  BuiltHyperNodes Build() {
    Number();
    Link();
    NameTiers();
    Fill();
    std::stable_sort(faults_.begin(), faults_.end(),
                     [](const auto& a, const auto& b) { return a.name < b.name; });
    return {std::make_shared<const HyperNodeTree>(std::move(tree_)), std::move(faults_), cut_off_};
  }

 private:
  const HyperNodeInput& InputOf(HyperNodeId id) const { return inputs_[order_[id.index()]]; }
  void Fault(std::string_view name, std::string message) {
    faults_.push_back({std::string(name), std::move(message)});
  }

  // Rows by tier and name, and the root.
  void Number() {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [this](size_t a, size_t b) { return inputs_[a].tier < inputs_[b].tier; });
    int32_t top = 0;
    for (const size_t i : order_) {
      const HyperNodeId id =
          tree_.rows.Append({.name = std::string(inputs_[i].name), .tier = inputs_[i].tier});
      ids_.emplace(inputs_[i].name, id);
      top = inputs_[i].tier;
    }
    tree_.rows.Append({.name = std::string(model::kTopHyperNode), .tier = top + 1});
    for (const HyperNodeRow& row : tree_.rows) {
      if (tree_.tiers.empty() || tree_.tiers.back() != row.tier) tree_.tiers.push_back(row.tier);
    }
  }

  // In order of the numbers, so that whoever comes first is of the lowest tier.
  void Link() {
    const HyperNodeId root = tree_.root();
    for (size_t i = 0; i < order_.size(); ++i) {
      const HyperNodeId id = HyperNodeId::FromIndex(i);
      for (const std::string& member : InputOf(id).members) LinkMember(id, member);
    }
    for (size_t i = 0; i < order_.size(); ++i) {
      const HyperNodeId id = HyperNodeId::FromIndex(i);
      if (!tree_.rows[id].parent.valid()) tree_.rows[id].parent = root;
      tree_.rows[tree_.rows[id].parent].children.push_back(id);
    }
  }

  void LinkMember(HyperNodeId id, std::string_view member) {
    HyperNodeRow& row = tree_.rows[id];
    const auto known = ids_.find(member);
    if (known == ids_.end()) {
      Fault(row.name, StrCat("its member HyperNode ", member, " does not exist"));
      return;
    }
    HyperNodeRow& child = tree_.rows[known->second];
    if (child.tier >= row.tier) {
      if (const std::string chain = ChainTo(id, known->second); !chain.empty()) {
        Fault(row.name, StrCat("cyclic dependency detected: HyperNode ", member,
                               " is already in the ancestor chain [", chain, "]"));
      } else {
        Fault(row.name, StrCat("its member HyperNode ", member, " has tier ", child.tier,
                               ", which is not below its own tier ", row.tier));
      }
      return;
    }
    if (child.parent.valid()) {
      Fault(row.name,
            StrCat("HyperNode ", member, " already has a parent ", tree_.rows[child.parent].name,
                   ", and cannot set another parent ", row.name));
      return;
    }
    child.parent = id;
  }

  // From `id` up to `above`, which names it among its members or their members; empty: it does not.
  std::string ChainTo(HyperNodeId id, HyperNodeId above) const {
    // Parents are not all known yet: what names whom is read from the inputs, downwards.
    absl::flat_hash_map<HyperNodeId, HyperNodeId> from;
    std::vector<HyperNodeId> open = {above};
    from.emplace(above, HyperNodeId());
    for (size_t seen = 0; seen < open.size() && open.size() < kChainSearchMax; ++seen) {
      if (open[seen] == id) break;
      for (const std::string& member : InputOf(open[seen]).members) {
        const auto known = ids_.find(member);
        if (known == ids_.end() || !from.emplace(known->second, open[seen]).second) continue;
        open.push_back(known->second);
      }
    }
    if (!from.contains(id)) return "";
    std::vector<std::string> chain;
    for (HyperNodeId at = id; at.valid(); at = from.at(at)) chain.push_back(tree_.rows[at].name);
    return absl::StrJoin(chain, " ");
  }

  void NameTiers() {
    absl::flat_hash_map<std::string_view, int32_t> tiers;
    for (size_t i = 0; i < order_.size(); ++i) {
      const HyperNodeInput& input = InputOf(HyperNodeId::FromIndex(i));
      if (input.tier_name.empty()) continue;
      const auto [known, fresh] = tiers.try_emplace(input.tier_name, input.tier);
      if (known->second == input.tier) continue;
      Fault(input.name, StrCat("its tierName ", input.tier_name, " stands for tier ", known->second,
                               " already, not for its tier ", input.tier));
    }
    for (const auto& [name, tier] : tiers) tree_.tier_names.emplace_back(name, tier);
    std::sort(tree_.tier_names.begin(), tree_.tier_names.end());
  }

  // Members come before what they are in.
  void Fill() {
    std::vector<std::vector<NodeId>> nodes(tree_.rows.size());
    size_t memberships = ready_.size();
    for (size_t i = 0; i < order_.size(); ++i) {
      const HyperNodeId id = HyperNodeId::FromIndex(i);
      std::vector<NodeId>& own = nodes[i];
      own.insert(own.end(), InputOf(id).nodes.begin(), InputOf(id).nodes.end());
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      if (memberships + own.size() > kHyperNodeMembershipsMax) {
        Fault(tree_.rows[id].name, StrCat("HyperNodes have more than ", kHyperNodeMembershipsMax,
                                          " nodes together: it counts as empty"));
        ++cut_off_;
        own.clear();
      }
      memberships += own.size();
      const HyperNodeId parent = tree_.rows[id].parent;
      if (parent == tree_.root()) continue;
      std::vector<NodeId>& of_parent = nodes[parent.index()];
      of_parent.insert(of_parent.end(), own.begin(), own.end());
    }
    nodes.back() = ready_;
    for (size_t i = 0; i < nodes.size(); ++i) {
      HyperNodeRow& row = tree_.rows[HyperNodeId::FromIndex(i)];
      row.nodes = nodes[i].size();
      row.runs = RunsOf(nodes[i]);
    }
    Index(nodes, memberships);
  }

  void Index(const std::vector<std::vector<NodeId>>& nodes, size_t memberships) {
    const size_t slots = ready_.empty() ? 0 : ready_.back().index() + 1;
    tree_.in_begin.assign(slots + 1, 0);
    for (const std::vector<NodeId>& own : nodes) {
      for (NodeId node : own) ++tree_.in_begin[node.index() + 1];
    }
    std::partial_sum(tree_.in_begin.begin(), tree_.in_begin.end(), tree_.in_begin.begin());
    tree_.in.resize(memberships);
    std::vector<uint32_t> next = tree_.in_begin;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (NodeId node : nodes[i]) tree_.in[next[node.index()]++] = HyperNodeId::FromIndex(i);
    }
    Group();
  }

  void Group() {
    absl::flat_hash_map<absl::Span<const HyperNodeId>, uint32_t> known;
    tree_.groups.of_node.assign(tree_.in_begin.size() - 1, 0);
    for (NodeId node : ready_) {
      const auto [at, fresh] = known.try_emplace(tree_.Of(node), tree_.groups.groups);
      if (fresh) ++tree_.groups.groups;
      tree_.groups.of_node[node.index()] = at->second;
    }
  }

  // HyperNodes looked at to find out whether a fault is a circle.
  static constexpr size_t kChainSearchMax = 256;

  const absl::Span<const HyperNodeInput> inputs_;
  std::vector<NodeId> ready_;
  std::vector<size_t> order_;  // Of the inputs, by number.
  absl::flat_hash_map<std::string_view, HyperNodeId> ids_;
  HyperNodeTree tree_;
  std::vector<HyperNodeFault> faults_;
  size_t cut_off_ = 0;
};

}  // namespace

BuiltHyperNodes BuildHyperNodes(absl::Span<const HyperNodeInput> inputs,
                                absl::Span<const NodeId> ready) {
  return Builder(inputs, ready).Build();
}

}  // namespace bth::algo
