// What jobs lay claim to in their queue, as sums that can be added and taken away.
#pragma once

#include "algo/gang_rules.h"
#include "algo/resource_algebra.h"
#include "api/model/job.h"

namespace bth::algo {

// What a job has to be admitted for: its minimum, without what its tasks hold already, or held
// until they ended well.
ResourceVec LacksOfMinimum(const JobView& job);

// What an admitted job counts as inqueue, of what it lacks like that: nothing unless it is waiting
// in line, or running with its minimum placed. Jobs without minimum resources count nothing.
ResourceVec InqueueAmount(const model::JobRow& job, const model::JobCounts& counts,
                          DimMask inqueue_dims);

// The same for the rule that counts the whole minimum of a job that waits below it, whatever it
// holds; but not what was held until tasks ended well.
ResourceVec InqueueInCluster(const model::JobRow& job, const model::JobCounts& counts,
                             DimMask inqueue_dims);

// Sums over the jobs of a queue.
struct QueueSums {
  int32_t jobs = 0;
  ResourceVec allocated;  // Held by allocated tasks.
  ResourceVec request;    // Of allocated and pending tasks.
  ResourceVec leaving;    // Of tasks that are going away.
  ResourceVec inqueue;    // InqueueAmount.
  ResourceVec elastic;    // Held beyond the jobs' minimums.

  void Add(const QueueSums& other);
  void Subtract(const QueueSums& other);
};
QueueSums ClaimsOf(const model::JobRow& job, const model::JobCounts& counts, DimMask inqueue_dims);

}  // namespace bth::algo
