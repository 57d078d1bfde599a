// Writes the objects that the plugins of a batch job ask for. Objects of somebody else are neither
// changed nor deleted.
#pragma once

#include "controllers/job/job_desk.h"

namespace bth::controllers {

// Creates the object for the job, or brings the compared part of the job's own one up to date.
// kAlreadyExists when one of that name belongs to somebody else.
net::Awaitable<absl::Status> EnsureObject(JobDesk& desk, JobPointer job, WantedObject wanted);

// Deletes the object if it belongs to the job; OK when there is none.
net::Awaitable<absl::Status> RemoveObject(JobDesk& desk, JobPointer job, ObjectName name);

}  // namespace bth::controllers
