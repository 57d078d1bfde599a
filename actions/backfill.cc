#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "actions/commit_job.h"
#include "actions/factories.h"
#include "actions/ignored_arguments.h"
#include "actions/queue_jobs.h"
#include "actions/worksheet.h"
#include "base/status.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"

namespace bth::actions {
namespace {

using framework::Session;
using framework::Statement;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

// Pipelined best-effort pods are taken back: they may have a place now. Not those for which
// others were evicted, until these have left: the room stays theirs.
void TakePipelinedBack(Session& session, JobId job, Statement& statement) {
  for (TaskId task : *session.job(job).tasks) {
    const model::TaskState& state = session.state(task);
    if (state.status != TaskStatus::kPipelined) continue;
    const bool since_before = session.task(task).nominated_node == state.node;
    const bool has_room = session.request(task).FitsIn(session.usage().idle[state.node]);
    if (state.evicts && !(since_before && has_room)) continue;
    if (session.shape(session.task(task).shape).best_effort) statement.Unpipeline(task);
  }
}

// True when an action before has tried these tasks together with the rest of their gang, and let
// go of all: on their own they would only take places that the rest needs.
bool TriedWithGang(const Session& session, const SubJobWorksheet& worksheet) {
  const auto& tasks = worksheet.best_effort.items();
  return std::any_of(tasks.begin(), tasks.end(), [&session](TaskId task) {
    return session.notes().PlanOf(task) != nullptr || session.notes().FitOf(task) != nullptr;
  });
}

void PlaceTasks(Session& session, SubJobWorksheet& worksheet, Statement& statement) {
  while (!worksheet.best_effort.empty()) {
    PlaceBestEffort(session, worksheet.best_effort.Pop(), statement);
  }
}

// One statement for the whole job: a gang below its minimum gets all it lacks, or nothing.
absl::Status FillJob(Session& session, JobId job) {
  Statement statement(session, "backfill");
  const bool adopts = HasAllocated(session, job);
  TakePipelinedBack(session, job, statement);
  const bool was_ready = session.votes().JobReady(job);
  Worksheet worksheet = MakeWorksheet(session, job);
  for (SubJobWorksheet& sub_job : worksheet.sub_jobs) {
    if (!was_ready && TriedWithGang(session, sub_job)) continue;
    const Statement::Mark mark = statement.Checkpoint();
    PlaceTasks(session, sub_job, statement);
    if (!session.job(job).has_sub_group_policy) continue;
    const bool stands = session.votes().SubJobReady(job, sub_job.sub_job) ||
                        session.votes().SubJobPipelined(job, sub_job.sub_job);
    if (!stands) statement.DiscardTo(mark);
  }
  if (session.votes().JobReady(job)) {
    CommitJob(session, job, adopts, statement);
  } else if (session.votes().JobPipelined(job)) {
    statement.Keep();  // With what is pipelined the gang is whole: it keeps its places.
  } else {
    statement.Discard();
  }
  return absl::OkStatus();
}

// Pending tasks that ask for nothing, or such that another action pipelined.
bool HasWork(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  if (counts.pending_best_effort + counts.count(TaskStatus::kPipelined) == 0) return false;
  for (TaskId task : *session.job(job).tasks) {
    const model::TaskRow& row = session.task(task);
    if (!session.shape(row.shape).best_effort) continue;
    const TaskStatus status = session.state(task).status;
    if (status == TaskStatus::kPipelined) return true;
    if (status == TaskStatus::kPending && !row.gated) return true;
  }
  return false;
}

// Thread: scheduling.
class Backfill final : public framework::Action {
 public:
  std::string_view name() const override { return "backfill"; }
  absl::Status Execute(framework::Session& session) override;
};

absl::Status Backfill::Execute(Session& session) {
  QueueJobs queues(session);
  for (JobId job : session.active_jobs()) {
    if (session.IsPendingPhase(job)) continue;
    if (HasWork(session, job) && session.votes().ValidateJob(job).valid) queues.Add(job);
  }
  // Orders are taken now: every job of the first queue comes first.
  std::vector<JobId> jobs;
  while (!queues.empty()) {
    QueueJobs::JobHeap& of_queue = queues.JobsOf(queues.PopQueue());
    while (!of_queue.empty()) jobs.push_back(of_queue.Pop());
  }
  for (JobId job : jobs) {
    BTH_RETURN_IF_ERROR(session.WorkOn(job, [&] { return FillJob(session, job); }));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> CreateBackfill(const conf::Arguments& args) {
  BTH_RETURN_IF_ERROR(NoteErrorCache(args));
  return std::make_unique<Backfill>();
}

}  // namespace bth::actions
