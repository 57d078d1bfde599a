// What a sync does to the pods of a batch job. Pure, any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/job/job_book.h"
#include "controllers/job/pod_counts.h"

namespace bth::controllers {

struct PodToCreate {
  size_t task = 0;    // Index into spec.tasks.
  int32_t index = 0;  // Within the task.
  bool operator==(const PodToCreate&) const = default;
};

struct SyncPlan {
  std::vector<PodToCreate> creates;  // By task and index; none of tasks that wait for others.
  std::vector<PodPointer> deletes;   // Too many, or marked out of sync; by task and name.
  PodCounts counts;                  // Of what exists and is wanted.
};

// Pods of tasks that are no longer in the spec are left alone.
SyncPlan PlanSync(const JobView& job);

}  // namespace bth::controllers
