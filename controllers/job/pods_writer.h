// Creates and deletes the pods of a batch job, many at a time.
#pragma once

#include <string>
#include <vector>

#include "controllers/job/job_desk.h"
#include "controllers/job/pod_counts.h"
#include "controllers/job/sync_plan.h"

namespace bth::controllers {

struct PodOrder {
  JobPointer job;  // With claim names; its status says version and retries.
  const std::vector<PodToCreate>* pods = nullptr;
  const JobPlugins* plugins = nullptr;
  bool is_forwarded = false;
};

struct CreatedPods {
  std::vector<absl::Status> errors;
  absl::Status plugin_error;          // OnPodCreate failed: the sync ends.
  std::vector<std::string> occupied;  // Names that pods of somebody else have.
  PodCounts counts;                   // Of the new pods.
};

// Creates them in order; a refusal ends what has not begun. Names that are taken by pods of the job
// are passed over.
net::Awaitable<CreatedPods> CreatePods(JobDesk& desk, PodOrder order);

struct DeletedPods {
  std::vector<absl::Status> errors;
  std::vector<PodPointer> left;  // Those that could not be deleted.
  int32_t deleted = 0;
};

// Marks pods out of sync, so that their end triggers no policy; the first failure.
net::Awaitable<absl::Status> MarkPods(JobDesk& desk, std::vector<PodPointer> pods);

// Marks all pods out of sync, so that their end triggers no policy, and then deletes those that
// could be marked. Pods that are gone already count as deleted.
net::Awaitable<DeletedPods> DeletePods(JobDesk& desk, std::vector<PodPointer> pods);

}  // namespace bth::controllers
