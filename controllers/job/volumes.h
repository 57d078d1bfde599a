// The claims of a batch job.
#pragma once

#include "controllers/job/job_desk.h"

namespace bth::controllers {

struct VolumesOutcome {
  SyncError error;
  JobPointer job;  // With the names of all claims.
};

// Creates the claims that have a template and no name yet, and writes their names into the job.
// Given names must exist: until they do the job waits. `controlled`: status.controlledResources.
net::Awaitable<VolumesOutcome> EnsureVolumes(JobDesk& desk, JobPointer job,
                                             types::LabelMap* controlled);

}  // namespace bth::controllers
