#include "actions/task_placer.h"

#include <functional>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "framework/nodes/node_picker.h"

namespace bth::actions {

using framework::Gate;
using framework::NodeChoice;
using framework::Statement;
using model::JobId;
using model::QueueId;
using model::RoleId;
using model::SubJobId;
using model::TaskId;
using model::TaskStatus;

namespace {

using WorksheetLess = std::function<bool(const SubJobWorksheet*, const SubJobWorksheet*)>;

}  // namespace

// Sub-jobs in their order, until the job is ready; one that fails is left out. The order is asked
// anew each time: a sub-job that has its minimum comes after those that have not.
bool TaskPlacer::PlaceSubJobs(JobId job, Worksheet& worksheet, Statement& statement,
                              PlaceSubJob place) {
  const Statement::Mark before = statement.Checkpoint();
  let_go_.clear();
  Heap<SubJobWorksheet*, WorksheetLess> sub_jobs(
      [this](const SubJobWorksheet* a, const SubJobWorksheet* b) {
        return ComesBefore(session_, *a, *b);
      });
  for (SubJobWorksheet& sub_job : worksheet.sub_jobs) {
    if (!sub_job.tasks.empty()) sub_jobs.Push(&sub_job);
  }
  while (!sub_jobs.empty()) {
    SubJobWorksheet* const sub_job = sub_jobs.Pop();
    const bool placed = place(*sub_job);
    if (session_.votes().JobReady(job)) break;
    if (placed && !sub_job->tasks.empty()) sub_jobs.Push(sub_job);
  }
  if (statement.Checkpoint().size == before.size) return false;
  for (SubJobWorksheet& sub_job : worksheet.sub_jobs) {
    if (session_.votes().JobReady(job)) break;
    const Statement::Mark mark = statement.Checkpoint();
    AddBestEffort(sub_job, statement, [this, job, &sub_job] {
      return session_.votes().JobReady(job) && session_.votes().SubJobReady(job, sub_job.sub_job);
    });
    if (!Stands(job, sub_job.sub_job)) statement.DiscardTo(mark);
  }
  if (session_.votes().JobReady(job) || session_.votes().JobPipelined(job)) return true;
  let_go_ = statement.PlacedSince(before);
  statement.DiscardTo(before);
  return false;
}

// Places tasks of one sub-job until it is ready. True when it is, or when it would be once
// the room of pipelined tasks is free; else nothing of it stays placed.
bool TaskPlacer::PlaceTasks(JobId job, SubJobWorksheet& worksheet, Statement& statement) {
  const Statement::Mark mark = statement.Checkpoint();
  bool hopeless = false;
  while (!hopeless && !worksheet.tasks.empty()) {
    const TaskId task = worksheet.tasks.Pop();
    if (!MayTry(job, task)) continue;
    const NodeChoice choice = session_.picker().Pick(task);
    if (!choice.node.valid()) {
      ++refusals_;
      const RoleId role = session_.task(task).role;
      if (role.valid()) failed_roles_.try_emplace(role, task);
      hopeless = !WorthGoingOn(job, worksheet.sub_job);
      continue;
    }
    if (choice.on_future_room) {
      statement.Pipeline(task, choice.node, false);
    } else {
      statement.Allocate(task, choice.node);
    }
    if (session_.votes().SubJobReady(job, worksheet.sub_job)) break;
  }
  if (!hopeless && !statement.empty()) {
    AddBestEffort(worksheet, statement, [this, job, &worksheet] {
      return session_.votes().SubJobReady(job, worksheet.sub_job);
    });
  }
  if (Stands(job, worksheet.sub_job)) return true;
  statement.DiscardTo(mark);
  return false;
}

bool TaskPlacer::Stands(JobId job, SubJobId sub_job) const {
  return session_.votes().SubJobReady(job, sub_job) ||
         session_.votes().SubJobPipelined(job, sub_job);
}

// Tasks that ask for nothing are backfill's, but for those that a gang's minimum needs beside
// what is placed here: bound later, they would leave half a gang behind if they found no place.
void TaskPlacer::AddBestEffort(SubJobWorksheet& worksheet, Statement& statement,
                               absl::FunctionRef<bool()> enough) {
  while (!worksheet.best_effort.empty() && !enough()) {
    const size_t before = statement.Checkpoint().size;
    PlaceBestEffort(session_, worksheet.best_effort.Pop(), statement);
    if (statement.Checkpoint().size == before) ++refusals_;
  }
}

bool TaskPlacer::MayTry(JobId job, TaskId task) {
  const model::TaskRow& row = session_.task(task);
  const QueueId queue = session_.job(job).queue;
  if (!session_.votes().Allocatable(queue, task)) {
    const bool open = session_.queue(queue).state == model::QueueState::kOpen;
    // What no node could take is not the queue's fault, whatever share it has.
    if (open && !session_.picker().AnyNodeTakes(task)) {
      session_.notes().RecordFit(task, session_.picker().Explain(task));
      ++refusals_;
      return false;
    }
    session_.notes().HoldAt(job, open ? Gate::kQuota : Gate::kQueueClosed, "",
                            open ? StrCat("queue ", *session_.queue(queue).name,
                                          " may not allocate what the pods request")
                                 : StrCat("queue ", *session_.queue(queue).name, " is not open"));
    return false;
  }
  if (row.gated) {
    WaitForGate(job, task);
    return false;
  }
  const auto failed = failed_roles_.find(row.role);
  if (row.role.valid() && failed != failed_roles_.end()) {
    SkipLike(task, failed->second);
    ++refusals_;
    return false;
  }
  return true;
}

// `first`, of the same role, found no node: so it would be with `task`.
void TaskPlacer::SkipLike(TaskId task, TaskId first) {
  const model::TaskRow& row = session_.task(task);
  auto fit = std::make_shared<framework::TaskFit>();
  fit->exemplar = task;
  fit->shape = row.shape;
  fit->preset = StrCat("Task ", row.names->name, " with role spec ", row.names->role,
                       " has already predicated failed, skip");
  if (const framework::TaskFit* why = session_.notes().FitOf(first)) {
    StrAppend(&fit->preset, "; ", session_.task(first).names->name, ": ", why->Text());
  }
  session_.notes().RecordFit(task, std::move(fit));
}

// The queue has room for the task, which is what Volcano's own gate waits for. The task itself is
// placed in a later cycle, once its object shows that the gate is gone.
void TaskPlacer::WaitForGate(JobId job, TaskId task) {
  const model::TaskRow& row = session_.task(task);
  const bool lifts = session_.context().lifts_queue_gates && row.own_gate_only && row.keeps_room;
  if (lifts && !row.gate_lifted) session_.votes().LiftGate(task);
  session_.notes().HoldAt(
      job, Gate::kSchedulingGate, "",
      lifts ? "the scheduling gates of pods are being removed" : "pods have scheduling gates");
}

// After a task found no node: can the rest still make the gang?
bool TaskPlacer::WorthGoingOn(JobId job, SubJobId sub_job) const {
  const model::JobRow& row = session_.job(job);
  if (row.min_available == static_cast<int32_t>(row.tasks->size())) return false;
  const model::SubJobCounts& sub_counts = session_.usage().sub_jobs[sub_job];
  const int32_t sub_tasks = model::CountStatuses(sub_counts.by_status, ~0u);
  if (session_.base().sub_jobs[sub_job].min_available >= sub_tasks) return false;
  if (row.has_sub_group_policy) return true;
  if (row.min_available < row.role_minimum_sum) {
    int32_t possible = session_.counts(job).ready();
    for (TaskId task : *row.tasks) {
      if (session_.state(task).status != TaskStatus::kPending) continue;
      const RoleId role = session_.task(task).role;
      if (!role.valid() || !failed_roles_.contains(role)) ++possible;
    }
    return possible >= row.min_available;
  }
  for (RoleId role : *row.roles) {
    const int32_t minimum = session_.base().roles[role].min_available;
    if (minimum <= 0 || !failed_roles_.contains(role)) continue;
    const model::RoleCounts& counts = session_.usage().roles[role];
    const int32_t ready =
        model::CountStatuses(counts.by_status,
                             model::kAllocatedGroup | StatusBit(TaskStatus::kSucceeded)) +
        counts.pending_best_effort;
    if (ready < minimum) return false;
  }
  return true;
}

}  // namespace bth::actions
