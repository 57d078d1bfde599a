// Deletes pods of a batch job, because it stops or starts again.
#pragma once

#include <string>

#include "controllers/job/job_desk.h"
#include "controllers/job/job_notes.h"
#include "controllers/job/kill_plan.h"
#include "controllers/job/phases.h"

namespace bth::controllers {

struct KillOrder {
  KillTarget target;
  // Uid of the Command that asks for it, if any. The status tells of the latest that began a retry:
  // together with that retry, so that it is not begun twice, whatever happens.
  std::string command;
  // What is to be told of it, by event and in status.state. May be empty.
  JobNote why;
  bool is_told = false;  // An event has told it.
};

// Marks and deletes the pods, then decides on the phase; with all pods of a job go the objects of
// its plugins and its pod group. After an error the next call goes on from what is there.
net::Awaitable<absl::Status> KillJob(JobDesk& desk, JobView view, JobStep step, KillOrder order);

// The status tells that this Command was carried out.
bool WasCarriedOut(const types::BatchJob& job, const std::string& command);

}  // namespace bth::controllers
