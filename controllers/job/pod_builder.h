// The pods of a batch job. Pure, any thread.
#pragma once

#include <cstdint>

#include "api/types/batch_job.h"
#include "controllers/job_plugins/pod_draft.h"

namespace bth::controllers {

// Pod `index` of a task, before its plugins: the task's template as it was written, with names,
// owner, volumes, labels and annotations. `job` has the claim names of its volumes and the present
// version in its status. `is_forwarded`: the queue has other clusters.
PodDraft BuildPod(const types::BatchJob& job, const types::BatchTask& task, int32_t index,
                  bool is_forwarded);

// Number of the partition that a pod is in; 0 for an impossible size.
int32_t PartitionOf(int32_t index, int32_t partition_size);

}  // namespace bth::controllers
