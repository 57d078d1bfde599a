// Writes of the status of a batch job.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controllers/job/job_desk.h"

namespace bth::controllers {

// The entry of status.conditions for this phase moves to the end, with this time.
void UpsertCondition(types::JobPhase phase, absl::Time time, types::BatchJobStatus* status);

// Stamps a status that has got to another phase: its time and the condition of the phase.
void StampStatus(absl::Time now, types::BatchJobStatus* status);

// From the creation of the job to its last change.
void SetRunningDuration(const types::BatchJob& job, types::BatchJobStatus* status);

// A status that only counts differently waits for a second after it first did, so that pods that
// start or end together are told of at once, and those of a small job with its next phase.
// True: not now, and the job is looked at again.
bool PutOff(JobDesk& desk, const types::BatchJob& before, const types::BatchJobStatus& status);

// Writes `status` on top of `before`, unless it is the same, and counts jobs that end by it. The
// result is the job as it is now: `before` itself when nothing was written or the job is gone.
net::Awaitable<absl::StatusOr<JobPointer>> WriteJobStatus(JobDesk& desk, JobPointer before,
                                                          types::BatchJobStatus status);

}  // namespace bth::controllers
