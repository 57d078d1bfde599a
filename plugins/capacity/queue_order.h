// Which queue is served first, and which gives first.
#pragma once

#include "api/model/snapshot.h"
#include "framework/session/session.h"
#include "plugins/capacity/queue_ledger.h"

namespace bth::plugins::capacity {

// Higher priority first, then the smaller share; with hierarchy leaves before others, and two
// leaves as the branches compare in which they part. Negative: the left one first.
int CompareQueues(const framework::Session& session, const QueueLedger& ledger, model::QueueId left,
                  model::QueueId right);

// With hierarchy: the closer relative of the preemptor's queue gives first.
int CompareVictimQueues(const QueueLedger& ledger, model::QueueId left, model::QueueId right,
                        model::QueueId preemptor);

}  // namespace bth::plugins::capacity
