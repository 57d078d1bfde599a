#include "framework/nodes/node_slots.h"

#include <algorithm>

#include "base/row_at.h"

namespace bth::framework {

using model::NodeId;
using model::ResourceVec;

NodeSlots::NodeSlots(const Session& session, model::ShapeId shape)
    : session_(session),
      request_(session.shape(shape).request),
      fit_(session.context().static_fits->Get(session, session.shape(shape).constraints)) {
  for (int d = 0; d < model::kDims; ++d) {
    if (request_[d] > 0) dims_.push_back(d);
  }
}

int32_t NodeSlots::On(NodeId node) const {
  if (RowAt(fit_->refusal, node) != kFits || session_.shard().Refuses(node)) return 0;
  const model::Usage& usage = session_.usage();
  const int32_t now = FitInto(usage.idle[node]);
  if (usage.releasing_tasks == 0) return now;
  return std::max(now, FitInto(usage.FutureIdle(node)));
}

int32_t NodeSlots::FitInto(const ResourceVec& room) const {
  if (!request_.FitsIn(room)) return 0;
  int64_t slots = kSlotsMax;
  for (const int d : dims_) slots = std::min(slots, room[d] / request_[d]);
  return static_cast<int32_t>(slots);
}

}  // namespace bth::framework
