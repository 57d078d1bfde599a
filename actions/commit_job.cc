#include "actions/commit_job.h"

#include <string>

namespace bth::actions {

using framework::Session;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

bool HasAllocated(const Session& session, JobId job) {
  return session.counts(job).count(TaskStatus::kAllocated) > 0;
}

bool CommitJob(Session& session, JobId job, bool adopts, framework::Statement& statement) {
  if (adopts) {
    for (TaskId task : *session.job(job).tasks) {
      if (session.state(task).status == TaskStatus::kAllocated) statement.Adopt(task);
    }
  }
  const absl::Status status = statement.Commit();
  if (!status.ok()) {
    session.notes().HoldAt(job, framework::Gate::kBinding, "", std::string(status.message()));
  }
  return status.ok();
}

}  // namespace bth::actions
