// The pod group of a batch job. Pure, any thread.
#pragma once

#include "absl/status/statusor.h"
#include "api/types/batch_job.h"
#include "api/types/pod_group.h"
#include "controllers/job/min_resources.h"

namespace bth::controllers {

// The group to create. The scheduler sets its phase.
absl::StatusOr<types::PodGroup> BuildPodGroup(const types::BatchJob& job,
                                              const PriorityOf& priority_of);

// `spec` of the job's group brought up to date with the job. Queue and topology stay as they are,
// and so do the minima of tasks that are no more.
absl::StatusOr<types::PodGroupSpec> UpdatedPodGroup(const types::PodGroupSpec& spec,
                                                    const types::BatchJob& job,
                                                    const PriorityOf& priority_of);

}  // namespace bth::controllers
