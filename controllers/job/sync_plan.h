// What a sync does to the pods of a batch job. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/job/job_book.h"
#include "controllers/job/pod_counts.h"

namespace bth::controllers {

// Pods created in one pass: then it is the turn of other jobs.
inline constexpr size_t kCreatesMax = 500;

struct PodToCreate {
  size_t task = 0;    // Index into spec.tasks.
  int32_t index = 0;  // Within the task.
  bool operator==(const PodToCreate&) const = default;
};

struct SyncPlan {
  // By task and index; none of tasks that wait for others, and not more than kCreatesMax.
  std::vector<PodToCreate> creates;
  bool is_partial = false;          // More than those are missing.
  std::vector<PodPointer> deletes;  // Too many, or marked out of sync; by task and name.
  PodCounts counts;                 // Of what exists and is wanted.
};

// Pods of tasks that are no longer in the spec are left alone.
SyncPlan PlanSync(const JobView& job);
// Of all pods of the job, also those that are not wanted: what is there while nothing can be done.
PodCounts CountAllPods(const JobView& job);

}  // namespace bth::controllers
