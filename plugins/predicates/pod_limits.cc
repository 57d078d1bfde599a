#include "plugins/predicates/pod_limits.h"

#include "base/row_at.h"

namespace bth::plugins::predicates {

using framework::ReasonId;
using model::NodeId;
using model::NodeRange;

void PodLimits::CatchUp() {
  full_.resize(session_.base().nodes.size(), 0);
  follower_.CatchUp(
      [this](NodeId node) { RowAt(full_, node) = static_cast<uint8_t>(IsFull(node)); });
}

void PodLimits::Refuse(NodeRange block, ReasonId reason, absl::Span<ReasonId> out) const {
  if (block.size() < 2 || !follower_.up_to_date()) {
    for (NodeId node : block) {
      if (IsFull(node)) out[block.Offset(node)] = reason;
    }
    return;
  }
  const uint8_t* __restrict full = full_.data() + block.first().index();
  ReasonId* __restrict verdicts = out.data();
  const size_t size = block.size();
  for (size_t i = 0; i < size; ++i) verdicts[i] = full[i] != 0 ? reason : verdicts[i];
}

bool PodLimits::IsFull(NodeId node) const {
  const model::Usage& usage = session_.usage();
  const model::Usage& at_open = session_.base().usage;
  // What is idle of a node's limit says how many pods it holds; the limit itself cancels out.
  int64_t room = usage.idle[node][model::kPods];
  if (usage.pipelined_tasks > 0) room -= usage.pipelined[node][model::kPods];
  if (usage.releasing_tasks != at_open.releasing_tasks) {
    room += usage.releasing[node][model::kPods] - at_open.releasing[node][model::kPods];
  }
  return room <= 0;
}

}  // namespace bth::plugins::predicates
