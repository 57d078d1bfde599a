#include "framework/label_index.h"

#include <algorithm>

namespace bth::framework {

using model::LabelsId;
using model::PodLabels;

void LabelIndex::CatchUp(const Session& session, uint64_t serial) {
  const std::vector<PeerMove>& moves = session.peer_moves();
  if (serial_ != serial) {
    RefreshLabels(session.base());
    RefreshRows(session.base());
    serial_ = serial;
    last_.clear();
    last_.resize(session.base().labels.size());
    before_.clear();
  }
  for (size_t i = before_.size(); i < moves.size(); ++i) {
    const LabelsId labels = moves[i].labels;
    before_.push_back(labels.valid() ? last_[labels] : 0);
    if (labels.valid()) last_[labels] = static_cast<uint32_t>(i + 1);
  }
}

void LabelIndex::ForgetBefore(uint64_t serial) {
  if (serial_ < serial) *this = LabelIndex();
}

void LabelIndex::RefreshLabels(const model::Snapshot& snapshot) {
  constexpr size_t kChunk = std::decay_t<decltype(snapshot.labels)>::kRowsPerChunk;
  const auto& labels = snapshot.labels;
  const size_t chunks = std::max(labels.chunk_count(), labels_.chunk_count());
  for (size_t chunk = labels.NextDifferentChunk(labels_, 0); chunk < chunks;
       chunk = labels.NextDifferentChunk(labels_, chunk + 1)) {
    for (size_t i = chunk * kChunk; i < (chunk + 1) * kChunk; ++i) {
      const LabelsId id = LabelsId::FromIndex(i);
      const PodLabels* before = labels_.Contains(id) ? labels_[id].get() : nullptr;
      const PodLabels* after = labels.Contains(id) ? labels[id].get() : nullptr;
      if (before == after) continue;
      if (before != nullptr) Leave(id, *before);
      if (after != nullptr) Enter(id, *after);
    }
  }
  labels_ = labels;
}

void LabelIndex::RefreshRows(const model::Snapshot& snapshot) {
  constexpr size_t kChunk = std::decay_t<decltype(snapshot.peers)>::kRowsPerChunk;
  const auto& peers = snapshot.peers;
  const size_t chunks = std::max(peers.chunk_count(), peers_.chunk_count());
  for (size_t chunk = peers.NextDifferentChunk(peers_, 0); chunk < chunks;
       chunk = peers.NextDifferentChunk(peers_, chunk + 1)) {
    for (size_t i = chunk * kChunk; i < (chunk + 1) * kChunk; ++i) {
      const model::NodeId node = model::NodeId::FromIndex(i);
      const model::NodePeers before = peers_.Contains(node) ? peers_[node] : nullptr;
      const model::NodePeers after = peers.Contains(node) ? peers[node] : nullptr;
      if (before == after) continue;
      CountRows(before, -1);
      CountRows(after, +1);
    }
  }
  peers_ = peers;
}

void LabelIndex::CountRows(const model::NodePeers& peers, int32_t sign) {
  if (peers == nullptr) return;
  for (const model::PeerCount& row : *peers) {
    if (!row.labels.valid()) continue;
    rows_.EnsureContains(row.labels);
    rows_[row.labels] += sign;
  }
}

void LabelIndex::Enter(LabelsId id, const PodLabels& labels) {
  for (const model::LabelPair& pair : labels.labels) holding_[{labels.ns, pair}].insert(id);
}

void LabelIndex::Leave(LabelsId id, const PodLabels& labels) {
  for (const model::LabelPair& pair : labels.labels) {
    const auto known = holding_.find({labels.ns, pair});
    known->second.erase(id);
    if (known->second.empty()) holding_.erase(known);
  }
}

const LabelIndex::Ids& LabelIndex::Holding(const Anchor& anchor) const {
  static const auto* const kNone = new Ids();
  const auto known = holding_.find(anchor);
  return known == holding_.end() ? *kNone : known->second;
}

const LabelIndex::Ids& LabelIndex::HoldingFewest(absl::Span<const Anchor> anchors) const {
  const Ids* fewest = &Holding(anchors[0]);
  for (const Anchor& anchor : anchors.subspan(1)) {
    const Ids& ids = Holding(anchor);
    if (ids.size() < fewest->size()) fewest = &ids;
  }
  return *fewest;
}

}  // namespace bth::framework
