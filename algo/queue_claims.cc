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

ResourceVec Outstanding(const JobRow& job, const JobCounts& counts, DimMask inqueue_dims) {
  return WithoutGated(InqueueResource(job.min_resources, counts.allocated, inqueue_dims),
                      counts.gated);
}

}  // namespace

ResourceVec LacksOfMinimum(const JobView& job) {
  const JobCounts& counts = job.counts();
  ResourceVec lacks = Excess(job.row().min_resources.v, counts.allocated);
  if (counts.count(model::TaskStatus::kSucceeded) == 0) return lacks;
  for (model::TaskId task : *job.row().tasks) {
    if (job.usage.tasks[task].status != model::TaskStatus::kSucceeded) continue;
    lacks = Excess(lacks, job.base.shapes[job.base.tasks[task].shape].request);
  }
  return lacks;
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
    return WithoutGated(job.min_resources.v, counts.gated);
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
