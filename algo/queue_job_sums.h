// What the jobs of each queue hold and claim, kept from session to session.
#pragma once

#include "algo/job_changes.h"
#include "algo/queue_claims.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::algo {

// Follows snapshots by what changed between them. Thread: one.
class QueueJobSums {
 public:
  // Catches up. True when everything was summed anew, because dimensions have other meanings now.
  bool Follow(const model::Snapshot& base);
  // Each queue's own jobs, as of the last Follow.
  const QueueSums& operator[](model::QueueId queue) const { return sums_[queue]; }

 private:
  JobChanges changes_;
  IdVector<model::QueueId, QueueSums> sums_;
};

}  // namespace bth::algo
