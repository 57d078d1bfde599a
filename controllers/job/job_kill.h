// Deletes pods of a batch job, because it stops or starts again.
#pragma once

#include <string>

#include "controllers/job/job_desk.h"
#include "controllers/job/kill_plan.h"
#include "controllers/job/phases.h"

namespace bth::controllers {

// Marks and deletes the pods, then decides on the phase; with all pods of a job go the objects of
// its plugins and its pod group. After an error the next call goes on from what is there.
// `command`: uid of the Command that asks for it, if any. The status tells of the latest that began
// a retry: together with that retry, so that it is not begun twice, whatever happens.
net::Awaitable<absl::Status> KillJob(JobDesk& desk, JobView view, JobStep step, KillTarget target,
                                     std::string command);

// The status tells that this Command was carried out.
bool WasCarriedOut(const types::BatchJob& job, const std::string& command);

}  // namespace bth::controllers
