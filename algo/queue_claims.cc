#include "algo/queue_claims.h"

namespace bth::algo {
namespace {

using model::JobCounts;
using model::JobRow;
using model::PodGroupPhase;

bool RunsWithMinimum(const JobRow& job, const JobCounts& counts) {
  return counts.phase == PodGroupPhase::kRunning &&
         counts.Count(model::kAllocatedGroup) >= job.min_available;
}

// What the job's tasks hold, or held until they ended well.
ResourceVec Served(const JobCounts& counts) {
  return counts.allocated + counts.succeeded;
}

ResourceVec Outstanding(const JobRow& job, const JobCounts& counts, DimMask inqueue_dims) {
  return WithoutGated(InqueueResource(job.min_resources, Served(counts), inqueue_dims),
                      counts.gated);
}

}  // namespace

ResourceVec LacksOfMinimum(const JobView& job) {
  return Excess(job.row().min_resources.v, Served(job.counts()));
}

ResourceVec InqueueAmount(const JobRow& job, const JobCounts& counts, DimMask inqueue_dims) {
  if (!job.has_min_resources) return {};
  const bool waits = counts.phase == PodGroupPhase::kInqueue;
  if (!waits && !RunsWithMinimum(job, counts)) return {};
  return Outstanding(job, counts, inqueue_dims);
}

ResourceVec InqueueInCluster(const JobRow& job, const JobCounts& counts, DimMask inqueue_dims) {
  if (!job.has_min_resources) return {};
  const bool waits = counts.phase == PodGroupPhase::kInqueue;
  // Once its minimum is placed, only its phase lags behind.
  const int32_t placed = counts.Count(model::kAllocatedGroup);
  if (waits && (placed == 0 || placed < job.min_available)) {
    return WithoutGated(Excess(job.min_resources.v, counts.succeeded), counts.gated);
  }
  return waits || RunsWithMinimum(job, counts) ? Outstanding(job, counts, inqueue_dims)
                                               : ResourceVec();
}

void QueueSums::Add(const QueueSums& other) {
  jobs += other.jobs;
  allocated += other.allocated;
  request += other.request;
  leaving += other.leaving;
  inqueue += other.inqueue;
  elastic += other.elastic;
}

void QueueSums::Subtract(const QueueSums& other) {
  jobs -= other.jobs;
  allocated -= other.allocated;
  request -= other.request;
  leaving -= other.leaving;
  inqueue -= other.inqueue;
  elastic -= other.elastic;
}

QueueSums ClaimsOf(const JobRow& job, const JobCounts& counts, DimMask inqueue_dims) {
  return {.jobs = 1,
          .allocated = counts.allocated,
          .request = counts.allocated + counts.pending,
          .leaving = counts.leaving,
          .inqueue = InqueueAmount(job, counts, inqueue_dims),
          .elastic = Elastic(counts.allocated, job.min_resources)};
}

}  // namespace bth::algo
