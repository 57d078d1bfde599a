#include "framework/unschedulable/refusal.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "framework/nodes/global_scan.h"
#include "framework/nodes/node_picker.h"
#include "framework/nodes/static_fit.h"
#include "framework/topology/topology.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::TaskId;
using model::TaskStatus;

bool GotNothing(const Session& session, JobId job) {
  const model::JobCounts& before = session.base().usage.jobs[job];
  const model::JobCounts& now = session.counts(job);
  return before.phase == now.phase && before.by_status == now.by_status;
}

// Its nodes are judged one by one, and by nothing but themselves.
bool IsJudgedNodeByNode(const Session& session, TaskId task) {
  const model::PodConstraints& pod = session.base().constraints_of(session.task(task).shape);
  if (pod.volumes != nullptr || pod.device_claims != nullptr) return false;
  return !GlobalFiltersConcern(session, task, GlobalHooks::kByTask);
}

// Adds what nodes refused. False: some task's answer follows more than that.
bool AddKinds(Session& session, JobId job, Refusal* refusal) {
  bool tried = false;
  // After one task of a role found no node, those after it are not tried; one that its queue may
  // not have does not count.
  absl::flat_hash_map<model::RoleId, TaskKind> kind_of_role;
  bool mixed_role = false;
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != TaskStatus::kPending) continue;
    const model::TaskRow& row = session.task(task);
    if (row.nominated_node.valid() || row.own_gate_only || row.keeps_room) return false;
    if (row.gated) continue;
    tried |= session.notes().PlanOf(task) != nullptr;
    const TaskKind kind = session.picker().KindOf(task);
    if (row.role.valid())
      mixed_role |= kind_of_role.try_emplace(row.role, kind).first->second != kind;
    const auto is_same = [&kind](const auto& known) { return known.first == kind; };
    if (std::any_of(refusal->kinds.begin(), refusal->kinds.end(), is_same)) continue;
    if (!IsJudgedNodeByNode(session, task)) return false;
    refusal->kinds.emplace_back(kind, task);
  }
  // Of tasks that are all alike, a node takes as many whichever comes first.
  refusal->by_choice_of_nodes =
      tried && (refusal->kinds.size() > 1 || session.job(job).has_sub_group_policy);
  refusal->by_choice_of_tasks =
      mixed_role || (refusal->kinds.size() > 1 && (tried || session.votes().refused_by_share(job)));
  return true;
}

bool IsBeyondAnyNode(const Session& session, const Refusal& refusal) {
  return !refusal.kinds.empty() &&
         std::none_of(refusal.kinds.begin(), refusal.kinds.end(), [&session](const auto& kind) {
           return FitsSomeEmptyNode(session, session.task(kind.second).shape);
         });
}

// All that waits of the job has gates of others.
bool IsGated(const Session& session, JobId job) {
  const std::vector<TaskId>& tasks = *session.job(job).tasks;
  return std::all_of(tasks.begin(), tasks.end(), [&session](TaskId task) {
    if (session.state(task).status != TaskStatus::kPending) return true;
    return session.task(task).gated && !session.task(task).own_gate_only;
  });
}

// All that waits is alike, so that it does not matter what is tried first and where.
bool IsAllAlike(const Session& session, JobId job, const Refusal& refusal) {
  return refusal.kinds.size() == 1 && !session.job(job).has_sub_group_policy;
}

// Preemption does not ask whether the queue is overused, but may not give more than the share.
bool StandsWhileOverused(Session& session, JobId job, const AnswerRules& rules) {
  if (!rules.preempts()) return true;
  Refusal tried;
  return session.votes().refused_by_share(job) && AddKinds(session, job, &tried) &&
         IsAllAlike(session, job, tried);
}

}  // namespace

std::optional<Refusal> RefusalOf(Session& session, JobId job, const AnswerRules& rules) {
  if (!GotNothing(session, job)) return std::nullopt;
  Refusal refusal;
  const JobFit* hold = session.notes().HoldOf(job);
  switch (hold == nullptr ? Gate::kNone : hold->gate) {
    case Gate::kNoQueue:
    case Gate::kGangInvalid:
      refusal.stands_without_victims = true;
      return refusal;
    case Gate::kQueueClosed:
    case Gate::kQueueTurn:
      return refusal;
    case Gate::kNotEnqueued:
      refusal.for_admission = true;
      refusal.stands_without_victims = session.IsPendingPhase(job);
      return refusal;
    case Gate::kQueueOverused:
      refusal.queue_overused = true;
      refusal.stands_without_victims = StandsWhileOverused(session, job, rules);
      return refusal;
    case Gate::kQuota:
    case Gate::kNone:
    case Gate::kFilters:
    case Gate::kTopology:
      break;
    default:
      return std::nullopt;
  }
  const bool waits = session.counts(job).count(TaskStatus::kPending) > 0;
  if (!waits || session.IsPendingPhase(job)) return std::nullopt;
  const bool tried = hold != nullptr || session.notes().HasFit(job);
  if (!tried) {
    if (!IsGated(session, job)) return std::nullopt;
    refusal.stands_without_victims = true;
    return refusal;
  }
  if (!AddKinds(session, job, &refusal)) return std::nullopt;
  refusal.stands_without_victims = IsAllAlike(session, job, refusal);
  if (session.topology().IsBound(job)) {
    // Sums over HyperNodes change with any node, and evicting actions try others than were tried.
    refusal.by_choice_of_nodes = true;
    refusal.stands_without_victims = false;
  }
  if (session.votes().refused_by_share(job)) {
    for (const auto& [kind, task] : refusal.kinds) refusal.beyond_share.push_back(task);
    if (!session.notes().HasFit(job) && !refusal.by_choice_of_nodes) refusal.kinds.clear();
  }
  refusal.beyond_any_node = rules.evicts && IsBeyondAnyNode(session, refusal);
  return refusal;
}

}  // namespace bth::framework
