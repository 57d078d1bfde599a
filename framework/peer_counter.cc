#include "framework/peer_counter.h"

#include <algorithm>
#include <limits>

#include "base/row_at.h"

namespace bth::framework {

using model::NodeId;
using model::PeerCount;
using model::Snapshot;

void PeerMemo::Start(const Snapshot& snapshot) {
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

void PeerCounter::CatchUp(const Session& session, uint64_t serial, PeerMemo& memo) {
  const std::vector<PeerMove>& moves = session.peer_moves();
  if (serial_ == serial && moves_seen_ == moves.size()) return;
  memo.Start(session.base());
  if (serial_ != serial) {
    Refresh(session.base(), memo);
    serial_ = serial;
    moves_seen_ = 0;
  }
  for (; moves_seen_ < moves.size(); ++moves_seen_) {
    const PeerMove& move = moves[moves_seen_];
    if (!Counts(session.base(), {.labels = move.labels, .terms = move.terms}, memo)) continue;
    Add(move.node, move.sign);
    moved_.push_back(move.node);
  }
}

bool PeerCounter::Counts(const Snapshot& snapshot, const PeerCount& pods, PeerMemo& memo) const {
  if (pods.terminating && question_.skips_terminating) return false;
  if (question_.selects != nullptr) {
    if (!pods.labels.valid()) return false;
    const auto judge = [&] { return question_.selects(snapshot, *snapshot.labels[pods.labels]); };
    if (!memo.Selects(pods.labels, judge)) return false;
  }
  if (question_.carries == nullptr) return true;
  if (!pods.terms.valid()) return false;
  return memo.Carries(pods.terms,
                      [&] { return question_.carries(snapshot.constraints[pods.terms]); });
}

bool PeerCounter::SelectsAnybody(const Snapshot& snapshot, PeerMemo& memo) const {
  if (question_.selects == nullptr) return true;
  const auto& labels = snapshot.labels;
  for (model::LabelsId id : labels.ids()) {
    if (labels[id] == nullptr) continue;
    if (memo.Selects(id, [&] { return question_.selects(snapshot, *labels[id]); })) return true;
  }
  return false;
}

void PeerCounter::Refresh(const Snapshot& snapshot, PeerMemo& memo) {
  constexpr size_t kChunk = std::decay_t<decltype(snapshot.peers)>::kRowsPerChunk;
  const bool anew = question_.asks_namespaces && namespaces_ != snapshot.namespaces;
  if (anew) peers_ = {};
  namespaces_ = snapshot.namespaces;
  bool changed = !moved_.empty() || on_node_.size() != snapshot.nodes.size();
  const auto& peers = snapshot.peers;
  // The question of the first pods of a new group: nobody is selected, on any node.
  if (on_node_.empty() && !SelectsAnybody(snapshot, memo)) peers_ = peers;
  on_node_.resize(snapshot.nodes.size(), 0);
  for (size_t chunk = peers.NextDifferentChunk(peers_, 0); chunk < peers.chunk_count();
       chunk = peers.NextDifferentChunk(peers_, chunk + 1)) {
    const size_t end = std::min(peers.size(), (chunk + 1) * kChunk);
    for (size_t i = chunk * kChunk; i < end; ++i) {
      const NodeId node = NodeId::FromIndex(i);
      if (peers_.Contains(node) && peers_[node] == peers[node]) continue;
      Recount(snapshot, node, memo);
      changed = true;
    }
  }
  for (NodeId node : moved_) {
    if (node.index() < on_node_.size()) Recount(snapshot, node, memo);
  }
  moved_.clear();
  peers_ = peers;
  changed |= RefreshNodes(snapshot);
  topology_->Refresh(snapshot);
  if (changed || topology_version_ != topology_->version()) SumUp();
}

void PeerCounter::Recount(const Snapshot& snapshot, NodeId node, PeerMemo& memo) {
  int32_t pods = 0;
  if (snapshot.peers.Contains(node) && snapshot.peers[node] != nullptr) {
    for (const PeerCount& row : *snapshot.peers[node]) {
      if (Counts(snapshot, row, memo)) pods += row.pods;
    }
  }
  RowAt(on_node_, node) = pods;
}

// Whether nodes count follows from their facts.
bool PeerCounter::RefreshNodes(const Snapshot& snapshot) {
  if (question_.counts_node == nullptr) return false;
  constexpr size_t kChunk = std::decay_t<decltype(snapshot.nodes)>::kRowsPerChunk;
  const auto& nodes = snapshot.nodes;
  bool changed = counted_.size() != nodes.size();
  counted_.resize(nodes.size(), 0);
  for (size_t chunk = nodes.NextDifferentChunk(nodes_, 0); chunk < nodes.chunk_count();
       chunk = nodes.NextDifferentChunk(nodes_, chunk + 1)) {
    const size_t end = std::min(nodes.size(), (chunk + 1) * kChunk);
    for (size_t i = chunk * kChunk; i < end; ++i) {
      const NodeId node = NodeId::FromIndex(i);
      if (nodes_.Contains(node) && nodes_[node].facts == nodes[node].facts) continue;
      const bool counts = nodes[node].ready() && question_.counts_node(*nodes[node].facts);
      changed |= counts != (counted_[i] != 0);
      counted_[i] = static_cast<uint8_t>(counts);
    }
  }
  nodes_ = nodes;
  return changed;
}

void PeerCounter::SumUp() {
  topology_version_ = topology_->version();
  in_domain_.assign(topology_->domains(), 0);
  exists_.assign(topology_->domains(), 0);
  domains_ = 0;
  total_ = 0;
  for (size_t i = 0; i < on_node_.size(); ++i) {
    const NodeId node = NodeId::FromIndex(i);
    if (!HasDomain(node) || (!counted_.empty() && counted_[i] == 0)) continue;
    const uint32_t domain = topology_->of(node);
    domains_ += exists_[domain] == 0 ? 1 : 0;
    exists_[domain] = 1;
    in_domain_[domain] += on_node_[i];
    total_ += on_node_[i];
  }
  least_known_ = false;
}

void PeerCounter::Add(NodeId node, int32_t pods) {
  RowAt(on_node_, node) += pods;
  if (!HasDomain(node) || (!counted_.empty() && RowAt(counted_, node) == 0)) return;
  in_domain_[topology_->of(node)] += pods;
  total_ += pods;
  least_known_ = false;
}

int32_t PeerCounter::LeastInDomain() const {
  if (least_known_) return least_;
  least_ = domains_ == 0 ? 0 : std::numeric_limits<int32_t>::max();
  for (size_t domain = 0; domain < in_domain_.size(); ++domain) {
    if (exists_[domain] != 0) least_ = std::min(least_, in_domain_[domain]);
  }
  least_known_ = true;
  return least_;
}

}  // namespace bth::framework
