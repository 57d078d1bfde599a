// Batch jobs that admission would have refused. Pure, any thread.
#pragma once

#include "absl/status/status.h"
#include "api/types/batch_job.h"

namespace bth::controllers {

// Pods of one job; more could not be named, listed and counted in time.
inline constexpr int64_t kJobPodsMax = 100'000;
// More than an API server takes in one object, if each says what its pods are.
inline constexpr size_t kJobTasksMax = 5'000;
inline constexpr size_t kJobVolumesMax = 1'000;

// kInvalidArgument says what is wrong with a job that cannot be run as it is written: no tasks, one
// without a name, two of one name, one that waits for a task that does not exist or, in the end,
// for itself, negative numbers, a minimum beyond the number of pods, partitions that are not the
// task's pods, policies that cannot be meant (policy_check.h).
absl::Status CheckJob(const types::BatchJobSpec& spec);

}  // namespace bth::controllers
