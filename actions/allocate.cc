#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actions/commit_job.h"
#include "actions/domain_search.h"
#include "actions/factories.h"
#include "actions/ignored_arguments.h"
#include "actions/queue_jobs.h"
#include "actions/rank_order.h"
#include "actions/task_placer.h"
#include "actions/worksheet.h"
#include "base/row_at.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/nodes/static_fit.h"
#include "framework/session/statement.h"
#include "framework/topology/topology.h"

namespace bth::actions {
namespace {

using framework::Gate;
using framework::NodeChoice;
using framework::Session;
using framework::Statement;
using model::JobId;
using model::QueueId;
using model::TaskId;
using model::TaskStatus;

// One run of the action.
class AllocateRun {
 public:
  explicit AllocateRun(Session& session)
      : session_(session), queues_(session), placer_(session), domains_(session, placer_) {}

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
  // those that stand with their nominations; then those that need more beside them, which must
  // not take it from the others, whoever ranks higher. A nomination whose gang cannot be made whole
  // any more is given up, and its room is everybody's. A queue that became overused meanwhile keeps
  // its nominations as long as it may allocate them. All of it follows from the pods' status, so
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
    const TaskPlacer::FailedRoles failed_before = placer_.failed_roles();
    const bool adopts = HasAllocated(session_, job);
    Statement statement(session_, "allocate");
    PlaceNominated(job, statement);
    if (statement.empty()) return true;  // None of its nominations holds any more.
    if (with_rest) PlaceRest(job, statement);
    if (session_.votes().JobReady(job)) {
      CommitJob(session_, job, adopts, statement);
      return true;
    }
    if (session_.votes().JobPipelined(job)) {
      statement.Keep();
      return true;
    }
    statement.RollbackTo({});
    placer_.SetFailedRoles(failed_before);  // The job is tried again on its turn.
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
    if (!rest.sub_jobs.empty()) PlaceJob(job, rest, statement);
  }

  // While pods are leaving the node, filters that count them do not speak against a nomination.
  bool WillHaveRoom(TaskId task, model::NodeId node) const {
    const model::Usage& usage = session_.usage();
    if (!session_.base().nodes.Contains(node) || !session_.base().nodes[node].has_object())
      return false;
    if (usage.releasing[node][model::kPods] <= 0) return false;
    if (!session_.request(task).FitsIn(usage.FutureIdle(node))) return false;
    if (!session_.topology().Permits(task, node)) return false;
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

  // False: nothing of it is placed.
  bool PlaceJob(JobId job, Worksheet& worksheet, Statement& statement) {
    if (session_.topology().IsBound(job)) return domains_.PlaceJob(job, worksheet, statement);
    return session_.job(job).has_sub_group_policy
               ? placer_.PlaceSubJobs(job, worksheet, statement)
               : placer_.PlaceTasks(job, worksheet.sub_jobs.front(), statement);
  }

  // Tries one job; true when it is ready and has tasks left to place on its next turn.
  absl::StatusOr<bool> Visit(JobId job) {
    Worksheet& worksheet = worksheets_.at(job);
    const bool adopts = HasAllocated(session_, job);
    Statement statement(session_, "allocate");
    if (!PlaceJob(job, worksheet, statement)) return false;
    OrderByRank(session_, job, statement, {});
    if (!session_.votes().JobReady(job)) {
      // What is pipelined so far stays so until the session closes.
      statement.Keep();
      return false;
    }
    return CommitJob(session_, job, adopts, statement) && worksheet.HasTasks();
  }

  Session& session_;
  QueueJobs queues_;
  absl::flat_hash_map<JobId, Worksheet> worksheets_;
  TaskPlacer placer_;
  DomainSearch domains_;
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
