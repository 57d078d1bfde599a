// The pod group of a batch job. Pure, any thread.
#pragma once

#include <string_view>

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

// The queue of the job's group, where the job has named another one since the group was made; else
// empty. That somebody put the group into another queue than the job asks for is no change of the
// job. Groups that do not tell what was asked for: of a job in `default` nothing is assumed.
std::string_view KeptQueue(const types::PodGroup& group, const types::BatchJobSpec& spec);

}  // namespace bth::controllers
