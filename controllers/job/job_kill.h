// Deletes pods of a batch job, because it stops or starts again.
#pragma once

#include "controllers/job/job_desk.h"
#include "controllers/job/kill_plan.h"
#include "controllers/job/phases.h"

namespace bth::controllers {

// Marks and deletes the pods, then decides on the phase; with all pods of a job go the objects of
// its plugins and its pod group. After an error the next call goes on from what is there.
net::Awaitable<absl::Status> KillJob(JobDesk& desk, JobView view, JobStep step, KillTarget target);

}  // namespace bth::controllers
