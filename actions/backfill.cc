#include "actions/backfill.h"

#include <utility>
#include <vector>

#include "actions/queue_jobs.h"
#include "actions/worksheet.h"
#include "base/status.h"
#include "framework/node_picker.h"
#include "framework/statement.h"

namespace bth::actions {
namespace {

using framework::Session;
using framework::Statement;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

bool IsWanted(const Session& session, TaskId task) {
  const model::TaskRow& row = session.task(task);
  return session.state(task).status == TaskStatus::kPending && !row.gated &&
         session.shape(row.shape).best_effort;
}

// Promises to best-effort pods are taken back: they may have a place now.
void TakePromisesBack(Session& session, JobId job, Statement& statement) {
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != TaskStatus::kPipelined) continue;
    if (session.shape(session.task(task).shape).best_effort) statement.Unpipeline(task);
  }
}

// Tasks that an earlier action left allocated below the gang's minimum go along once it is met.
absl::Status CommitJob(Session& session, JobId job, Statement& statement) {
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status == TaskStatus::kAllocated) statement.Adopt(task);
  }
  return statement.Commit();
}

absl::Status FillJob(Session& session, JobId job) {
  Statement statement(session, "backfill");
  TakePromisesBack(session, job, statement);
  TaskHeap tasks([&session](TaskId a, TaskId b) { return session.CompareTasks(a, b) < 0; });
  for (TaskId task : *session.job(job).tasks) {
    if (IsWanted(session, task)) tasks.Push(task);
  }
  while (!tasks.empty()) {
    const TaskId task = tasks.Pop();
    const framework::NodeChoice choice = session.picker().PickForBestEffort(task);
    if (choice.node.valid()) statement.Allocate(task, choice.node);
  }
  if (session.JobReady(job)) {
    if (absl::Status status = CommitJob(session, job, statement); !status.ok()) {
      session.HoldAt(job, framework::Gate::kBinding, "", std::string(status.message()));
    }
    return absl::OkStatus();
  }
  statement.Keep();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> Backfill::Create(const conf::Arguments& args) {
  BTH_RETURN_IF_ERROR(args.Bool("predicateErrorCacheEnable", true));
  return std::make_unique<Backfill>();
}

absl::Status Backfill::Execute(Session& session) {
  QueueJobs queues(session);
  for (JobId job : *session.base().active_jobs) {
    if (session.IsPendingPhase(job)) continue;
    bool wanted = false;
    for (TaskId task : *session.job(job).tasks) {
      const bool best_effort = session.shape(session.task(task).shape).best_effort;
      const TaskStatus status = session.state(task).status;
      wanted =
          wanted || IsWanted(session, task) || (best_effort && status == TaskStatus::kPipelined);
    }
    if (wanted && session.ValidateJob(job).valid) queues.Add(job);
  }
  // Orders are taken now: every job of the first queue comes first.
  std::vector<JobId> jobs;
  while (!queues.empty()) {
    QueueJobs::JobHeap& of_queue = queues.JobsOf(queues.PopQueue());
    while (!of_queue.empty()) jobs.push_back(of_queue.Pop());
  }
  for (JobId job : jobs) BTH_RETURN_IF_ERROR(FillJob(session, job));
  return absl::OkStatus();
}

}  // namespace bth::actions
