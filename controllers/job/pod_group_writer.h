// Writes the pod group of a batch job.
#pragma once

#include "controllers/job/job_desk.h"

namespace bth::controllers {

// Creates the group, or brings the job's own one up to date. A group of somebody else that has its
// name is left alone: the job waits until it is gone.
net::Awaitable<SyncError> EnsureGroup(JobDesk& desk, JobPointer job);

// Deletes the job's own group; OK when there is none.
net::Awaitable<absl::Status> DeleteGroup(JobDesk& desk, JobPointer job);

}  // namespace bth::controllers
