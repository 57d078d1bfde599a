// Writes the objects that the plugins of a batch job ask for. Objects of somebody else are neither
// changed nor deleted.
#pragma once

#include <string>

#include "controllers/job/job_desk.h"

namespace bth::controllers {

// Creates the object for the job, or brings the compared part of the job's own one up to date; what
// `complete` filled in stays as it is there. kAlreadyExists when one of that name belongs to
// somebody else. `is_likely_there` saves a request where it is right.
net::Awaitable<absl::Status> EnsureObject(JobDesk& desk, JobPointer job, WantedObject wanted,
                                          bool is_likely_there);

// Of status.controlledResources: its OnJobAdd was carried out.
std::string PluginRecord(const JobPlugin& plugin);
bool HasPluginRecords(const types::BatchJobStatus& status);
void DropPluginRecords(types::BatchJobStatus* status);

// Deletes the object if it belongs to the job; OK when there is none.
net::Awaitable<absl::Status> RemoveObject(JobDesk& desk, JobPointer job, ObjectName name);

}  // namespace bth::controllers
