#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "actions/factories.h"
#include "actions/ignored_arguments.h"
#include "actions/queue_jobs.h"
#include "actions/worksheet.h"
#include "base/row_at.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/nodes/static_fit.h"
#include "framework/session/statement.h"

namespace bth::actions {
namespace {

using framework::Gate;
using framework::NodeChoice;
using framework::Session;
using framework::Statement;
using model::JobId;
using model::QueueId;
using model::RoleId;
using model::SubJobId;
using model::TaskId;
using model::TaskStatus;

using WorksheetLess = std::function<bool(const SubJobWorksheet*, const SubJobWorksheet*)>;

// One run of the action.
class AllocateRun {
 public:
  explicit AllocateRun(Session& session) : session_(session), queues_(session) {}

  absl::Status Execute() {
    RenewNominations();
    Collect();
    while (!queues_.empty()) {
      const QueueId queue = queues_.PopQueue();
      QueueJobs::JobHeap& jobs = queues_.JobsOf(queue);
      if (jobs.empty()) continue;
      if (session_.votes().Overused(queue)) {
        HoldRest(queue, jobs);
        continue;
      }
      const JobId job = jobs.Pop();
      BTH_ASSIGN_OR_RETURN(const bool again, session_.WorkOn(job, [&] { return Visit(job); }));
      if (again) jobs.Push(job);
      if (!again && session_.queue(queue).KeepsStrictOrder() && !session_.votes().JobReady(job)) {
        for (JobId later : jobs.items()) {
          session_.notes().HoldAt(later, Gate::kQueueTurn, "", TurnText(session_, job));
        }
        continue;
      }
      queues_.PushQueue(queue);
    }
    return absl::OkStatus();
  }

 private:
  void Collect() {
    const bool enqueues = session_.HasAction("enqueue");
    for (JobId job : session_.active_jobs()) {
      if (session_.IsPendingPhase(job)) {
        if (enqueues) continue;
        session_.placements().SetPhase(job, model::PodGroupPhase::kInqueue);
      }
      framework::JobValidity validity = session_.votes().ValidateJob(job);
      if (!validity.valid) {
        session_.notes().HoldAt(job, Gate::kGangInvalid, "", std::move(validity.message));
        continue;
      }
      if (session_.counts(job).count(TaskStatus::kPending) == 0) continue;
      Worksheet worksheet = session_.WorkOn(job, [&] { return MakeWorksheet(session_, job); });
      if (!worksheet.HasTasks()) continue;
      worksheets_.emplace(job, std::move(worksheet));
      queues_.Add(job);
    }
  }

  // Room that evictions made for a pod stays that pod's while victims are leaving and until it is
  // bound: jobs with a nominated pod are placed before anybody else, in queue and job order. First
  // those that stand with what they were promised; then those that need more beside it, which must
  // not take it from the others, whoever ranks higher. A promise whose gang cannot be made whole
  // any more is given up, and its room is everybody's. A queue that became overused meanwhile keeps
  // what it was promised as long as it may allocate it. All of it follows from the pods' status, so
  // that it outlives the process.
  void RenewNominations() {
    QueueJobs nominated(session_);
    std::vector<JobId> incomplete;
    for (JobId job : session_.active_jobs()) {
      if (HasNominated(job) && !session_.IsPendingPhase(job) &&
          session_.votes().ValidateJob(job).valid) {
        nominated.Add(job);
      }
    }
    while (!nominated.empty()) {
      const QueueId queue = nominated.PopQueue();
      QueueJobs::JobHeap& jobs = nominated.JobsOf(queue);
      while (!jobs.empty()) {
        const JobId job = jobs.Pop();
        const bool stands = session_.WorkOn(job, [&] { return Renew(job, /*with_rest=*/false); });
        if (!stands) incomplete.push_back(job);
      }
    }
    for (JobId job : incomplete) {
      if (!session_.votes().Overused(session_.job(job).queue)) Renew(job, /*with_rest=*/true);
    }
  }

  bool HasNominated(JobId job) const {
    if (session_.counts(job).count(TaskStatus::kPending) == 0) return false;
    for (TaskId task : *session_.job(job).tasks) {
      if (session_.task(task).nominated_node.valid() &&
          session_.state(task).status == TaskStatus::kPending) {
        return true;
      }
    }
    return false;
  }

  // False: the job does not stand, and nothing of it is placed.
  bool Renew(JobId job, bool with_rest) {
    const absl::flat_hash_map<RoleId, TaskId> failed_before = failed_roles_;
    Statement statement(session_, "allocate");
    PlaceNominated(job, statement);
    if (statement.empty()) return true;  // Nothing of what it was promised is left.
    if (with_rest) PlaceRest(job, statement);
    if (session_.votes().JobReady(job)) {
      if (absl::Status status = statement.Commit(); !status.ok()) {
        session_.notes().HoldAt(job, Gate::kBinding, "", std::string(status.message()));
      }
      return true;
    }
    if (session_.votes().JobPipelined(job)) {
      statement.Keep();
      return true;
    }
    statement.RollbackTo({});
    failed_roles_ = failed_before;  // The job is tried again on its turn.
    return false;
  }

  void PlaceNominated(JobId job, Statement& statement) {
    TaskHeap tasks([this](TaskId a, TaskId b) { return session_.votes().CompareTasks(a, b) < 0; });
    for (TaskId task : *session_.job(job).tasks) {
      const model::TaskRow& row = session_.task(task);
      if (session_.state(task).status != TaskStatus::kPending || row.gated) continue;
      if (row.nominated_node.valid()) tasks.Push(task);
    }
    while (!tasks.empty()) {
      const TaskId task = tasks.Pop();
      const model::NodeId nominated = session_.task(task).nominated_node;
      if (!session_.votes().Allocatable(session_.job(job).queue, task)) continue;
      const NodeChoice choice = session_.picker().Pick(task);
      // A nomination that leads nowhere any more is no ticket to the front of the line.
      if (choice.node == nominated && !choice.on_future_room) {
        statement.Allocate(task, nominated);
      } else if (choice.node == nominated || WillHaveRoom(task, nominated)) {
        statement.Pipeline(task, nominated, true);
      }
    }
  }

  // What the gang lacks beside its nominated pods.
  void PlaceRest(JobId job, Statement& statement) {
    if (session_.votes().JobReady(job) || session_.votes().JobPipelined(job)) return;
    Worksheet rest = MakeWorksheet(session_, job);
    if (session_.job(job).has_sub_group_policy) {
      PlaceSubJobs(job, rest, statement);
    } else if (!rest.sub_jobs.empty()) {
      PlaceTasks(job, rest.sub_jobs.front(), statement);
    }
  }

  // While pods are leaving the node, filters that count them do not speak against a promise.
  bool WillHaveRoom(TaskId task, model::NodeId node) const {
    const model::Usage& usage = session_.usage();
    if (!session_.base().nodes.Contains(node) || !session_.base().nodes[node].has_object())
      return false;
    if (usage.releasing[node][model::kPods] <= 0) return false;
    if (!session_.request(task).FitsIn(usage.FutureIdle(node))) return false;
    const auto fit = session_.context().static_fits->Get(
        session_, session_.shape(session_.task(task).shape).constraints);
    return RowAt(fit->refusal, node) == framework::kFits;
  }

  void HoldRest(QueueId queue, QueueJobs::JobHeap& jobs) {
    for (JobId job : jobs.items()) {
      if (session_.counts(job).count(TaskStatus::kPending) == 0) continue;
      session_.notes().HoldAt(job, Gate::kQueueOverused, "",
                              StrCat("queue ", *session_.queue(queue).name, " is overused"));
    }
  }

  // Tries one job; true when it is ready and has tasks left to place on its next turn.
  absl::StatusOr<bool> Visit(JobId job) {
    Worksheet& worksheet = worksheets_.at(job);
    Statement statement(session_, "allocate");
    const bool placed = session_.job(job).has_sub_group_policy
                            ? PlaceSubJobs(job, worksheet, statement)
                            : PlaceTasks(job, worksheet.sub_jobs.front(), statement);
    if (!placed) return false;
    if (!session_.votes().JobReady(job)) {
      // What is promised so far stays promised until the session closes.
      statement.Keep();
      return false;
    }
    if (absl::Status status = statement.Commit(); !status.ok()) {
      session_.notes().HoldAt(job, Gate::kBinding, "", std::string(status.message()));
      return false;
    }
    return worksheet.HasTasks();
  }

  // Sub-jobs in their order, until the job is ready; one that fails is left out. The order is asked
  // anew each time: a sub-job that has its minimum comes after those that have not.
  bool PlaceSubJobs(JobId job, Worksheet& worksheet, Statement& statement) {
    Heap<SubJobWorksheet*, WorksheetLess> sub_jobs(
        [this](const SubJobWorksheet* a, const SubJobWorksheet* b) {
          return ComesBefore(session_, *a, *b);
        });
    for (SubJobWorksheet& sub_job : worksheet.sub_jobs) {
      if (!sub_job.tasks.empty()) sub_jobs.Push(&sub_job);
    }
    while (!sub_jobs.empty()) {
      SubJobWorksheet* const sub_job = sub_jobs.Pop();
      const bool placed = PlaceTasks(job, *sub_job, statement);
      if (session_.votes().JobReady(job)) break;
      if (placed && !sub_job->tasks.empty()) sub_jobs.Push(sub_job);
    }
    if (statement.empty()) return false;
    for (SubJobWorksheet& sub_job : worksheet.sub_jobs) {
      if (session_.votes().JobReady(job)) break;
      const Statement::Mark mark = statement.Checkpoint();
      AddBestEffort(sub_job, statement, [this, job, &sub_job] {
        return session_.votes().JobReady(job) && session_.votes().SubJobReady(job, sub_job.sub_job);
      });
      if (!Stands(job, sub_job.sub_job)) statement.DiscardTo(mark);
    }
    if (session_.votes().JobReady(job) || session_.votes().JobPipelined(job)) return true;
    statement.Discard();
    return false;
  }

  // Places tasks of one sub-job until it is ready. True when it is, or when it would be once
  // promised room is free; else nothing of it stays placed.
  bool PlaceTasks(JobId job, SubJobWorksheet& worksheet, Statement& statement) {
    const Statement::Mark mark = statement.Checkpoint();
    bool hopeless = false;
    while (!hopeless && !worksheet.tasks.empty()) {
      const TaskId task = worksheet.tasks.Pop();
      if (!MayTry(job, task)) continue;
      const NodeChoice choice = session_.picker().Pick(task);
      if (!choice.node.valid()) {
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

  // Ready, or it will be once promised room is free.
  bool Stands(JobId job, SubJobId sub_job) const {
    return session_.votes().SubJobReady(job, sub_job) ||
           session_.votes().SubJobPipelined(job, sub_job);
  }

  // Tasks that ask for nothing are backfill's, but for those that a gang's minimum needs beside
  // what is placed here: bound later, they would leave half a gang behind if they found no place.
  void AddBestEffort(SubJobWorksheet& worksheet, Statement& statement,
                     absl::FunctionRef<bool()> enough) {
    while (!worksheet.best_effort.empty() && !enough()) {
      PlaceBestEffort(session_, worksheet.best_effort.Pop(), statement);
    }
  }

  bool MayTry(JobId job, TaskId task) {
    const model::TaskRow& row = session_.task(task);
    const QueueId queue = session_.job(job).queue;
    if (!session_.votes().Allocatable(queue, task)) {
      const bool open = session_.queue(queue).state == model::QueueState::kOpen;
      // What no node could take is not the queue's fault, whatever share it has.
      if (open && !session_.picker().AnyNodeTakes(task)) {
        session_.notes().RecordFit(task, session_.picker().Explain(task));
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
      return false;
    }
    return true;
  }

  // `first`, of the same role, found no node: so it would be with `task`.
  void SkipLike(TaskId task, TaskId first) {
    const model::TaskRow& row = session_.task(task);
    auto fit = std::make_shared<framework::TaskFit>();
    fit->exemplar = task;
    fit->shape = row.shape;
    fit->preset = StrCat("Task ", row.names->name, " with role spec ", row.names->role,
                         " has already predicated failed, skip");
    if (const framework::TaskFit* why = session_.notes().FitOf(first)) {
      StrAppend(&fit->preset, "; ", session_.task(first).names->name, ": ",
                why->Text(session_.reasons()));
    }
    session_.notes().RecordFit(task, std::move(fit));
  }

  // The queue has room for the task, which is what Volcano's own gate waits for. The task itself is
  // placed in a later cycle, once its object shows that the gate is gone.
  void WaitForGate(JobId job, TaskId task) {
    const model::TaskRow& row = session_.task(task);
    const bool lifts = session_.context().lifts_queue_gates && row.own_gate_only && row.keeps_room;
    if (lifts && !row.gate_lifted) session_.votes().LiftGate(task);
    session_.notes().HoldAt(
        job, Gate::kSchedulingGate, "",
        lifts ? "the scheduling gates of pods are being removed" : "pods have scheduling gates");
  }

  // After a task found no node: can the rest still make the gang?
  bool WorthGoingOn(JobId job, SubJobId sub_job) const {
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

  Session& session_;
  QueueJobs queues_;
  absl::flat_hash_map<JobId, Worksheet> worksheets_;
  absl::flat_hash_map<RoleId, TaskId> failed_roles_;  // With the first task that found no node.
};

// Thread: scheduling.
class Allocate final : public framework::Action {
 public:
  std::string_view name() const override { return "allocate"; }
  absl::Status Execute(framework::Session& session) override;
};

absl::Status Allocate::Execute(Session& session) {
  return AllocateRun(session).Execute();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> CreateAllocate(const conf::Arguments& args) {
  BTH_RETURN_IF_ERROR(NoteErrorCache(args));
  return std::make_unique<Allocate>();
}

}  // namespace bth::actions
