#include "algo/queue_job_sums.h"

#include <algorithm>

namespace bth::algo {

bool QueueJobSums::Follow(const model::Snapshot& base) {
  bool anew = false;
  const auto restart = [&] {
    sums_.clear();
    anew = true;
  };
  const DimMask inqueue_dims = InqueueDims(*base.dims);
  const auto visit = [&](model::JobId, const JobChanges::Job* before, const JobChanges::Job* now) {
    if (before != nullptr) {
      sums_[before->row.queue].Subtract(ClaimsOf(before->row, before->counts, inqueue_dims));
    }
    if (now != nullptr) {
      sums_.EnsureContains(now->row.queue);
      sums_[now->row.queue].Add(ClaimsOf(now->row, now->counts, inqueue_dims));
    }
  };
  changes_.Advance(base, restart, visit);
  sums_.resize(std::max(sums_.size(), base.queues.size()));
  return anew;
}

}  // namespace bth::algo
