#include "framework/nodes/refusal_counts.h"

#include <string>
#include <string_view>

namespace bth::framework {

using model::NodeId;
using model::TaskId;

void RefusalCounts::Add(absl::Span<const ReasonId> reasons, int32_t nodes) {
  if (reasons.empty()) return;
  refused_ += nodes;
  for (ReasonId reason : reasons) {
    if (reason >= nodes_of_reason_.size()) nodes_of_reason_.resize(reason + 1, 0);
    nodes_of_reason_[reason] += nodes;
  }
}

void RefusalCounts::WriteTo(const ReasonTable& table, TaskFit* fit) const {
  fit->nodes_refused += refused_;
  // Reasons that differ in what evictions change have one text.
  absl::flat_hash_map<std::string_view, size_t> by_text;
  for (size_t reason = 1; reason < nodes_of_reason_.size(); ++reason) {
    if (nodes_of_reason_[reason] == 0) continue;
    const std::string& text = table.text(static_cast<ReasonId>(reason));
    const auto [known, fresh] = by_text.try_emplace(text, fit->counts.size());
    if (fresh) {
      fit->counts.push_back({text, nodes_of_reason_[reason]});
    } else {
      fit->counts[known->second].nodes += nodes_of_reason_[reason];
    }
  }
}

KindRefusals::KindRefusals(const Session& session, const NodeJudge& judge, TaskId task,
                           bool check_resources)
    : judge_(judge),
      checks_resources_(check_resources),
      asked_(check_resources ? judge.RoomAskedBy(task) : AskedRoom()),
      follower_(session),
      answers_(1),
      answer_ids_({{{}, 0}}) {
  answer_of_.assign(session.base().nodes.size(), 0);
}

void KindRefusals::CatchUp(TaskId task) {
  follower_.CatchUp([this, task](NodeId node) { Ask(task, node); });
}

void KindRefusals::Ask(TaskId task, NodeId node) {
  reasons_.clear();
  judge_.CollectReasons(task, node, asked_, &reasons_);
  AnswerId& answer = answer_of_[node];
  if (answers_[answer].reasons == reasons_) return;
  --answers_[answer].nodes;
  const auto [known, fresh] =
      answer_ids_.try_emplace(reasons_, static_cast<AnswerId>(answers_.size()));
  if (fresh) answers_.push_back({reasons_});
  answer = known->second;
  ++answers_[answer].nodes;
}

RefusalCounts KindRefusals::Count() const {
  RefusalCounts counts;
  for (const Answer& answer : answers_) {
    if (answer.nodes > 0) counts.Add(answer.reasons, answer.nodes);
  }
  return counts;
}

}  // namespace bth::framework
