#include "plugins/extender/verdicts.h"

#include "base/row_at.h"

namespace bth::plugins::extender {

using framework::ReasonId;
using model::NodeId;
using model::TaskId;

Verdicts::Kind Verdicts::KindOf(TaskId id) const {
  const model::TaskRow& task = session_.task(id);
  if (!task.job.valid()) return {UINT32_MAX, 0, 0, id.value()};
  const uint32_t role = task.role.valid() ? task.role.value() : UINT32_MAX;
  return {task.job.value(), task.shape.value(), role, 0};
}

uint32_t Verdicts::ChangeOf(NodeId node) {
  changes_.resize(session_.base().nodes.size(), 1);
  for (; seen_ < session_.placements().node_changes().size(); ++seen_) {
    ++changes_[session_.placements().node_changes()[seen_].index()];
  }
  return RowAt(changes_, node);
}

std::optional<ReasonId> Verdicts::Find(TaskId task, NodeId node) {
  const auto kind = kinds_.find(KindOf(task));
  if (kind == kinds_.end()) return std::nullopt;
  const Entry& entry = RowAt(kind->second, node);
  if (entry.change != ChangeOf(node)) return std::nullopt;
  return entry.verdict;
}

void Verdicts::Keep(TaskId task, NodeId node, ReasonId verdict) {
  const Kind kind = KindOf(task);
  if (kinds_.size() >= kKindsMax && !kinds_.contains(kind)) kinds_.clear();
  std::vector<Entry>& entries = kinds_[kind];
  entries.resize(session_.base().nodes.size());
  RowAt(entries, node) = {.change = ChangeOf(node), .verdict = verdict};
}

}  // namespace bth::plugins::extender
