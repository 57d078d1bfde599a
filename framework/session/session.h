// One cycle's view of the cluster: a snapshot, the columns this cycle changes, and the hooks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "framework/hooks/hooks.h"
#include "framework/report/fit_report.h"
#include "framework/report/reasons.h"
#include "framework/session/effects.h"
#include "framework/session/peer_move.h"
#include "framework/session/session_context.h"
#include "framework/unschedulable/job_answer.h"

namespace bth::framework {

class NodePicker;

// What only a statement may ask of a session: nobody else can make one.
class StatementKey {
 private:
  friend class Statement;
  StatementKey() = default;
};

// Where a task is to go.
struct NodeChoice {
  model::NodeId node;           // Invalid: none, and `FitOf` tells why.
  bool on_future_room = false;  // Only fits when releasing pods have left.
};

// Thread: scheduling.
class Session {
 public:
  explicit Session(SessionContext context);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The picture at open; never changes.
  const model::Snapshot& base() const { return *context_.snapshot; }
  const SessionContext& context() const { return context_; }
  const model::DimensionTable& dims() const { return *base().dims; }
  // Present values; changed by statements only.
  const model::Usage& usage() const { return usage_; }

  const model::TaskRow& task(model::TaskId id) const { return base().tasks[id]; }
  const model::TaskState& state(model::TaskId id) const { return usage_.tasks[id]; }
  const model::ResourceVec& request(model::TaskId id) const {
    return base().shapes[base().tasks[id].shape].request;
  }
  const model::ShapeRow& shape(model::ShapeId id) const { return base().shapes[id]; }
  const model::JobRow& job(model::JobId id) const { return base().jobs[id]; }
  const model::JobCounts& counts(model::JobId id) const { return usage_.jobs[id]; }
  const model::QueueRow& queue(model::QueueId id) const { return base().queues[id]; }
  const model::NodeFacts& node(model::NodeId id) const { return *base().nodes[id].facts; }

  HookTable& hooks() { return hooks_; }
  const HookTable& hooks() const { return hooks_; }
  // Makes what a plugin keeps for this session; it lives as long as the session.
  template <typename T, typename... Args>
  T& Keep(Args&&... args) {
    auto made = std::make_shared<T>(std::forward<Args>(args)...);
    kept_.push_back(made);
    return *made;
  }
  // Plugins register their reasons while the session opens.
  ReasonTable& reasons() { return *context_.reasons; }
  const ReasonTable& reasons() const { return *context_.reasons; }
  NodePicker& picker() { return *picker_; }
  // Freezes hooks and reasons; called once, after every plugin's open.
  void Freeze();

  // The jobs that actions look at, by (creation, UID): of those with work to be done, all but the
  // ones that were refused before and would be again (UnschedulableJobs).
  const std::vector<model::JobId>& active_jobs() const { return active_jobs_; }
  // The same of the jobs whose queue does not exist.
  const std::vector<model::JobId>& jobs_without_queue() const { return jobs_without_queue_; }
  void SetActiveJobs(std::vector<model::JobId> active, std::vector<model::JobId> without_queue) {
    active_jobs_ = std::move(active);
    jobs_without_queue_ = std::move(without_queue);
  }

  // Orders: negative when the first comes first; ties end at (creation, UID), never 0 for two.
  int CompareJobs(model::JobId a, model::JobId b) const;
  int CompareQueues(model::QueueId a, model::QueueId b) const;
  int CompareTasks(model::TaskId a, model::TaskId b) const;
  int CompareSubJobs(model::SubJobId a, model::SubJobId b) const;

  // Calls `work`, which is about that job and no other: a defect in it is the job's. The innermost
  // call counts.
  template <typename Work>
  decltype(auto) WorkOn(model::JobId id, const Work& work) const {
    try {
      return work();
    } catch (...) {
      if (!culprit_.valid()) culprit_ = id;
      throw;
    }
  }
  // The job that a defect was found in; invalid: none was, or nobody knows.
  model::JobId culprit() const { return culprit_; }

  bool JobReady(model::JobId id) const {
    return WorkOn(id, [&] { return hooks_.job_ready(id); });
  }
  bool JobPipelined(model::JobId id) const { return hooks_.job_pipelined(id); }
  bool SubJobReady(model::JobId job, model::SubJobId id) const;
  bool SubJobPipelined(model::JobId job, model::SubJobId id) const;
  JobValidity ValidateJob(model::JobId id) const;
  bool Overused(model::QueueId id) const { return hooks_.overused(id); }
  bool Allocatable(model::QueueId queue, model::TaskId task) const;
  // Some task of the job was not allocatable when it was asked about.
  bool refused_by_share(model::JobId id) const { return refused_by_share_.contains(id); }
  bool JobEnqueueable(model::JobId id) const {
    return WorkOn(id, [&] { return hooks_.job_enqueueable(id); });
  }
  void JobEnqueued(model::JobId id);
  // Null: nothing.
  std::shared_ptr<const model::VolumePlan> VolumePlanOf(model::TaskId task) const;

  // True when `name` is among the configured actions.
  bool HasAction(std::string_view name) const;
  // Pending or empty phase.
  bool IsPendingPhase(model::JobId id) const;
  void SetPhase(model::JobId id, model::PodGroupPhase phase);

  // Plugins' words about a job, shown on its PodGroup at close.
  void SetCondition(model::JobId job, ConditionReport condition);
  void AddEvent(model::JobId job, EventReport event);
  // Why the job waits; the lowest gate said in this session stays (but see fit_report.h on quota).
  void HoldAt(model::JobId job, Gate gate, std::string_view plugin, std::string message);

  // Tells on the queue object what is wrong with it.
  void NoteQueue(QueueNotice notice) { queue_notices_.push_back(std::move(notice)); }
  const std::vector<QueueNotice>& queue_notices() const { return queue_notices_; }
  // The queue has room for the pod, whose only gate is Volcano's own: the gate shall go. The pod
  // itself waits for it; the event handlers of plugins learn of it.
  void LiftGate(model::TaskId task);
  const std::vector<model::TaskId>& lifted_gates() const { return lifted_gates_; }

  // What an action that looked for victims in vain found out; replaces what it said before. A
  // statement that places a task of the job forgets them all.
  void NoteVictimSearch(model::JobId job, VictimSearch search);
  void ForgetVictimSearches(StatementKey, model::JobId job);
  const std::vector<VictimSearch>& VictimSearchesOf(model::JobId job) const;

  // Fit errors of tasks, shared by tasks with the same answer.
  void RecordFit(model::TaskId task, std::shared_ptr<const TaskFit> fit);
  const TaskFit* FitOf(model::TaskId task) const;
  // Some task of the job has one. Cost: linear in its tasks.
  bool HasFit(model::JobId job) const;
  void ClearFits(model::JobId job);
  // What a discarded statement had planned for the task; kPending state when nothing.
  void RememberPlan(StatementKey, model::TaskId task, const model::TaskState& planned);
  void ForgetPlan(StatementKey, model::TaskId task);
  const model::TaskState* PlanOf(model::TaskId task) const;

  // Names the present values: equal versions mean equal usage. Rolling back brings it back.
  uint64_t version() const { return version_; }
  // Nodes whose usage changed, in order, one entry per change: node indexes follow it.
  const std::vector<model::NodeId>& node_changes() const { return node_changes_; }
  // Jobs whose tasks changed their state, in order, one entry per change.
  const std::vector<model::JobId>& job_changes() const { return job_changes_; }
  // Who could be evicted for whom at all.
  VictimProspects& prospects() const { return *prospects_; }
  uint64_t Digest() const { return usage_.DigestOf(); }
  // Who stands beside whom: counts by topology domain, in step with this session.
  PeerCounts& peers() const { return *peers_; }
  // Every placement, promise, eviction and their undoing since the session opened, in order.
  const std::vector<PeerMove>& peer_moves() const { return peer_moves_; }
  // From now on moves tell what is promised to others than this job: tasks that are not committed.
  // They may never come, so nobody can rely on them. Cost: the tasks of this job and of the one
  // before, where they have any that are not committed.
  void BeholdAs(model::JobId job) const;

  // Set moves every sum and runs the event handlers; Restore does the same back to a value that Set
  // replaced, with the version of that moment.
  void Set(StatementKey, model::TaskId task, const model::TaskState& to);
  void Restore(StatementKey, model::TaskId task, const model::TaskState& to, uint64_t version);

  // A statement that ended freed room that jobs refused before it did not see.
  bool room_grew() const { return room_grew_; }
  void NoteRoomGrew(StatementKey) { room_grew_ = true; }
  // Some job was admitted in this session.
  bool admitted() const { return admitted_; }

  // All that was found out about a job, for the next sessions; and back.
  JobAnswer AnswerOf(model::JobId job) const;
  void Restore(model::JobId job, const JobAnswer& answer);

  const ConditionReport* FindCondition(model::JobId job, std::string_view type) const;
  const std::vector<ConditionReport>& ConditionsOf(model::JobId job) const;
  const std::vector<EventReport>& EventsOf(model::JobId job) const;
  const JobFit* HoldOf(model::JobId job) const;
  // Jobs whose counts, phase, conditions or events this session changed, in order of change.
  const std::vector<model::JobId>& touched_jobs() const { return touched_jobs_; }

 private:
  void Apply(model::TaskId task, const model::TaskState& to);
  JobNotes& NotesOf(model::JobId job);
  // Of a job that is left alone in this session, what an earlier one found out; else null.
  const JobAnswer* KeptAnswerOf(model::JobId job) const;
  const JobNotes* FindNotes(model::JobId job) const;
  void Touch(model::JobId job);
  bool IsPromise(model::TaskId task, const model::TaskState& state) const;
  void NotePeerMove(model::TaskId task, const model::TaskState& state, bool promised,
                    int32_t sign) const;
  void NotePromises(model::JobId job, bool promised) const;

  SessionContext context_;
  model::Usage usage_;
  std::vector<std::shared_ptr<void>> kept_;  // Of plugins; outlives the hooks.
  HookTable hooks_;
  std::unique_ptr<NodePicker> picker_;
  std::unique_ptr<PeerCounts> own_peers_;
  PeerCounts* peers_ = nullptr;
  std::unique_ptr<VictimProspects> own_prospects_;
  VictimProspects* prospects_ = nullptr;
  mutable std::vector<PeerMove> peer_moves_;
  mutable bool tells_promises_ = false;  // Since somebody asked.
  mutable model::JobId beholder_;
  uint64_t version_ = 0;
  uint64_t last_version_ = 0;
  std::vector<model::NodeId> node_changes_;
  std::vector<model::JobId> job_changes_;
  std::vector<model::JobId> active_jobs_;
  std::vector<model::JobId> jobs_without_queue_;
  bool room_grew_ = false;
  bool admitted_ = false;
  std::vector<model::JobId> touched_jobs_;
  absl::flat_hash_set<model::JobId> touched_;
  mutable absl::flat_hash_set<model::JobId> refused_by_share_;
  absl::flat_hash_map<model::JobId, JobNotes> notes_;  // Of jobs that wait; off the hot path.
  absl::flat_hash_map<model::TaskId, std::shared_ptr<const TaskFit>> fits_;
  absl::flat_hash_map<model::TaskId, model::TaskState> plans_;
  std::vector<QueueNotice> queue_notices_;
  std::vector<model::TaskId> lifted_gates_;
  mutable model::JobId culprit_;
};

}  // namespace bth::framework
