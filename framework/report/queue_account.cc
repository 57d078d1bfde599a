#include "framework/report/queue_account.h"

namespace bth::framework {

QueueAccounts::QueueAccounts(const Session& session) : session_(session) {
  if (!none()) sums_.Follow(session.base());
}

QueueAccount QueueAccounts::Of(model::QueueId queue) const {
  if (none()) return {};
  const algo::QueueSums& sums = sums_[queue];
  return {.deserved = session_.hooks().queue_deserved(queue),
          .inqueue = sums.inqueue,
          .elastic = sums.elastic};
}

}  // namespace bth::framework
