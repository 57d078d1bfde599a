#include "framework/peers/label_index.h"

#include "base/changed_rows.h"

namespace bth::framework {

using model::LabelsId;
using model::PodLabels;

void LabelIndex::CatchUp(const Session& session, uint64_t serial) {
  const std::vector<PodMove>& moves = session.placements().pod_moves();
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
  ForDifferentRows(snapshot.labels, labels_,
                   [this](LabelsId id, const auto& before, const auto& after) {
                     if (before != nullptr) Leave(id, *before);
                     if (after != nullptr) Enter(id, *after);
                   });
  labels_ = snapshot.labels;
}

void LabelIndex::RefreshRows(const model::Snapshot& snapshot) {
  ForDifferentRows(snapshot.pods_on_nodes, pods_on_nodes_,
                   [this](model::NodeId, const auto& before, const auto& after) {
                     CountRows(before, -1);
                     CountRows(after, +1);
                   });
  pods_on_nodes_ = snapshot.pods_on_nodes;
}

void LabelIndex::CountRows(const model::PodsOnNode& pods, int32_t sign) {
  if (pods == nullptr) return;
  for (const model::LabelledPods& row : *pods) {
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
