#include "framework/peers/domain_counter.h"

#include <algorithm>
#include <limits>

#include "base/changed_rows.h"
#include "base/row_at.h"

namespace bth::framework {

using model::LabelledPods;
using model::NodeId;
using model::Snapshot;

void MatchMemo::Start(const Snapshot& snapshot) {
  constexpr uint32_t kEpochsMax = std::numeric_limits<uint32_t>::max() / 2;
  if (epoch_ == kEpochsMax) {
    by_labels_.clear();
    by_terms_.clear();
    epoch_ = 0;
  }
  ++epoch_;
  by_labels_.resize(snapshot.labels.size());
  by_terms_.resize(snapshot.constraints.size());
}

void DomainCounter::CatchUp(const Session& session, uint64_t serial, MatchMemo& memo,
                            LabelIndex& labels) {
  const std::vector<PodMove>& moves = session.placements().pod_moves();
  if (serial_ == serial && moves_seen_ == moves.size()) return;
  memo.Start(session.base());
  if (!question_.anchors.empty()) labels.CatchUp(session, serial);
  if (serial_ != serial) {
    ForgetTentative();
    Refresh(session.base(), memo, labels);
    serial_ = serial;
    moves_seen_ = 0;
  }
  TakeMoves(session, memo, labels);
}

void DomainCounter::TakeMoves(const Session& session, MatchMemo& memo, const LabelIndex& labels) {
  const std::vector<PodMove>& moves = session.placements().pod_moves();
  if (!question_.anchors.empty()) {
    const LabelIndex::Ids& ids = labels.HoldingFewest(question_.anchors);
    if (ids.size() < moves.size() - moves_seen_) {
      for (model::LabelsId id : ids) {
        if (!Selects(session.base(), id, memo)) continue;
        labels.ForEachMove(session, id, moves_seen_,
                           [&](const PodMove& move) { Take(session.base(), move, memo); });
      }
      moves_seen_ = moves.size();
      return;
    }
  }
  for (; moves_seen_ < moves.size(); ++moves_seen_) Take(session.base(), moves[moves_seen_], memo);
}

void DomainCounter::Take(const Snapshot& snapshot, const PodMove& move, MatchMemo& memo) {
  if (!Counts(snapshot, {.labels = move.labels, .terms = move.terms}, memo)) return;
  Add(move.node, move.sign, move.tentative);
  moved_.push_back(move.node);
}

bool DomainCounter::Counts(const Snapshot& snapshot, const LabelledPods& pods,
                           MatchMemo& memo) const {
  if (pods.terminating && question_.skips_terminating) return false;
  if (question_.selects != nullptr) {
    if (!pods.labels.valid() || !Selects(snapshot, pods.labels, memo)) return false;
  }
  if (question_.carries == nullptr) return true;
  if (!pods.terms.valid()) return false;
  return memo.Carries(pods.terms,
                      [&] { return question_.carries(snapshot.constraints[pods.terms]); });
}

bool DomainCounter::Selects(const Snapshot& snapshot, model::LabelsId labels,
                            MatchMemo& memo) const {
  return memo.Selects(labels,
                      [&] { return question_.selects(snapshot, *snapshot.labels[labels]); });
}

bool DomainCounter::SelectsAnybody(const Snapshot& snapshot, MatchMemo& memo,
                                   const LabelIndex& labels) const {
  if (question_.selects == nullptr) return true;
  if (!question_.anchors.empty()) {
    const LabelIndex::Ids& ids = labels.HoldingFewest(question_.anchors);
    return std::any_of(ids.begin(), ids.end(), [&](model::LabelsId id) {
      return labels.Stands(id) && Selects(snapshot, id, memo);
    });
  }
  for (model::LabelsId id : snapshot.labels.ids()) {
    if (snapshot.labels[id] != nullptr && Selects(snapshot, id, memo)) return true;
  }
  return false;
}

void DomainCounter::Refresh(const Snapshot& snapshot, MatchMemo& memo, const LabelIndex& labels) {
  const bool anew = question_.asks_namespaces && namespaces_ != snapshot.namespaces;
  if (anew) pods_on_nodes_ = {};
  namespaces_ = snapshot.namespaces;
  bool changed = !moved_.empty() || on_node_.size() != snapshot.nodes.size();
  const auto& on_nodes = snapshot.pods_on_nodes;
  // The question of the first pods of a new group: nobody is selected, on any node.
  if (on_node_.empty() && !SelectsAnybody(snapshot, memo, labels)) pods_on_nodes_ = on_nodes;
  on_node_.resize(snapshot.nodes.size(), 0);
  listed_.resize(snapshot.nodes.size(), 0);
  ForChangedRows(on_nodes, pods_on_nodes_, [&](size_t row) {
    const NodeId node = NodeId::FromIndex(row);
    if (pods_on_nodes_.Contains(node) && pods_on_nodes_[node] == on_nodes[node]) return;
    Recount(snapshot, node, memo);
    changed = true;
  });
  for (NodeId node : moved_) {
    if (node.index() < on_node_.size()) Recount(snapshot, node, memo);
  }
  moved_.clear();
  pods_on_nodes_ = on_nodes;
  changed |= RefreshNodes(snapshot);
  topology_->Refresh(snapshot);
  if (changed || topology_version_ != topology_->version()) SumUp();
}

void DomainCounter::Recount(const Snapshot& snapshot, NodeId node, MatchMemo& memo) {
  int32_t pods = 0;
  if (snapshot.pods_on_nodes.Contains(node) && snapshot.pods_on_nodes[node] != nullptr) {
    for (const LabelledPods& row : *snapshot.pods_on_nodes[node]) {
      if (Counts(snapshot, row, memo)) pods += row.pods;
    }
  }
  SetOnNode(node, pods);
}

void DomainCounter::SetOnNode(NodeId node, int32_t pods) {
  RowAt(on_node_, node) = pods;
  if (pods == 0 || RowAt(listed_, node) != 0) return;
  RowAt(listed_, node) = 1;
  with_pods_.push_back(node);
}

// Whether nodes count follows from their facts.
bool DomainCounter::RefreshNodes(const Snapshot& snapshot) {
  if (question_.counts_node == nullptr) return false;
  const auto& nodes = snapshot.nodes;
  bool changed = counted_.size() != nodes.size();
  counted_.resize(nodes.size(), 0);
  ForChangedRows(nodes, nodes_, [&](size_t row) {
    const NodeId node = NodeId::FromIndex(row);
    if (nodes_.Contains(node) && nodes_[node].facts == nodes[node].facts) return;
    const bool counts = nodes[node].has_object() && question_.counts_node(*nodes[node].facts);
    changed |= counts != (counted_[row] != 0);
    counted_[row] = static_cast<uint8_t>(counts);
  });
  nodes_ = nodes;
  return changed;
}

void DomainCounter::SumUp() {
  topology_version_ = topology_->version();
  in_domain_.assign(topology_->domains(), 0);
  total_ = 0;
  std::erase_if(with_pods_, [this](NodeId node) {
    if (node.index() >= on_node_.size()) return true;
    if (on_node_[node.index()] != 0) return false;
    listed_[node.index()] = 0;
    return true;
  });
  for (NodeId node : with_pods_) {
    if (!IsCounted(node)) continue;
    in_domain_[topology_->of(node)] += OnNode(node);
    total_ += OnNode(node);
  }
  domains_known_ = false;
  least_known_ = false;
}

// Cost: the nodes.
void DomainCounter::FindDomains() const {
  exists_.assign(topology_->domains(), 0);
  domains_ = 0;
  for (size_t i = 0; i < on_node_.size(); ++i) {
    const NodeId node = NodeId::FromIndex(i);
    if (!IsCounted(node)) continue;
    uint8_t& exists = exists_[topology_->of(node)];
    domains_ += exists == 0 ? 1 : 0;
    exists = 1;
  }
  domains_known_ = true;
}

int32_t DomainCounter::domains() const {
  if (!domains_known_) FindDomains();
  return domains_;
}

void DomainCounter::Add(NodeId node, int32_t pods, bool tentative) {
  SetOnNode(node, OnNode(node) + pods);
  if (!IsCounted(node)) return;
  in_domain_[topology_->of(node)] += pods;
  total_ += pods;
  least_known_ = false;
  if (!tentative) return;
  tentative_in_domain_.resize(in_domain_.size(), 0);
  tentative_in_domain_[topology_->of(node)] += pods;
  tentative_total_ += pods;
}

void DomainCounter::ForgetTentative() {
  if (tentative_in_domain_.empty()) return;
  tentative_in_domain_.clear();
  tentative_total_ = 0;
  least_known_ = false;
}

int32_t DomainCounter::LeastSettledInDomain() const {
  if (least_known_) return least_;
  least_ = domains() == 0 ? 0 : std::numeric_limits<int32_t>::max();
  for (size_t domain = 0; domain < in_domain_.size(); ++domain) {
    if (exists_[domain] == 0) continue;
    least_ = std::min(least_, in_domain_[domain] - TentativeIn(domain));
  }
  least_known_ = true;
  return least_;
}

}  // namespace bth::framework
