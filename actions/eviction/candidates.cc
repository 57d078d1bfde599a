#include "actions/eviction/candidates.h"

#include <algorithm>

#include "actions/eviction/gang_rivals.h"
#include "conf/policy.h"

namespace bth::actions::eviction {
namespace {

using framework::Session;
using model::JobId;
using model::NodeId;
using model::QueueId;
using model::TaskId;
using model::TaskStatus;

QueueId QueueOf(const Session& session, TaskId task) {
  return session.job(session.task(task).job).queue;
}

bool IsBestEffort(const Session& session, TaskId task) {
  return session.shape(session.task(task).shape).best_effort;
}

// Why plugins are not asked about a bound or running task; kNone: they are.
SparedBy WhySpared(const Session& session, const Ask& ask, TaskId candidate) {
  const model::TaskStatus status = session.state(candidate).status;
  const JobId own = session.task(ask.task).job;
  const JobId job = session.task(candidate).job;
  if (!model::InGroup(status, model::kPreemptableGroup)) return SparedBy::kLeaving;
  const QueueId queue = session.job(job).queue;
  const bool same_queue = queue == session.job(own).queue;
  if (ask.reach == Reach::kOtherQueues) {
    if (same_queue) return SparedBy::kOwnQueue;
    if (!session.queue(queue).reclaimable) return SparedBy::kUnreclaimable;
    return status == TaskStatus::kRunning ? SparedBy::kNone : SparedBy::kNotRunning;
  }
  if (!same_queue) return SparedBy::kOtherQueue;
  if (ask.reach == Reach::kOwnJob && job != own) return SparedBy::kOtherJob;
  if (ask.reach == Reach::kOtherJobs && job == own) return SparedBy::kOwnJob;
  // Whoever asks for nothing but a place gains nothing from what others hold.
  const bool gains = !IsBestEffort(session, ask.task) || IsBestEffort(session, candidate);
  return gains ? SparedBy::kNone : SparedBy::kNothingToGain;
}

void CountKept(const NodeTasks& tasks, NodeId node, SparedCounts* spared) {
  spared->Add(SparedBy::kMarked, tasks.KeptOn(node).marked);
  spared->Add(SparedBy::kOutside, tasks.KeptOn(node).outside);
}

bool IsWithinReach(const NodeTasks::Share& share, QueueId own, Reach reach) {
  return (share.queue == own) != (reach == Reach::kOtherQueues);
}

}  // namespace

bool EvictedBefore(const Session& session, TaskId evictor, TaskId left, TaskId right) {
  const JobId left_job = session.task(left).job;
  const JobId right_job = session.task(right).job;
  if (left_job == right_job) return session.votes().CompareTasks(left, right) > 0;
  const QueueId left_queue = session.job(left_job).queue;
  const QueueId right_queue = session.job(right_job).queue;
  if (left_queue != right_queue) {
    const int order =
        framework::RankVictimQueues(session, left_queue, right_queue, QueueOf(session, evictor));
    if (order != 0) return order < 0;
    return session.votes().CompareQueues(left_queue, right_queue) > 0;
  }
  // Age does not tell jobs apart here: equal jobs give up their latest tasks.
  if (const int order = framework::RankJobs(session, left_job, right_job); order != 0) {
    return order > 0;
  }
  return session.votes().CompareTasks(left, right) > 0;
}

std::vector<TaskId> CandidatesOn(const Session& session, const NodeTasks& tasks, const Ask& ask,
                                 NodeId node, SparedCounts* spared) {
  std::vector<TaskId> candidates;
  for (TaskId task : tasks.On(node)) {
    const SparedBy rule =
        session.state(task).node == node ? WhySpared(session, ask, task) : SparedBy::kLeaving;
    spared->Add(rule);
    if (rule == SparedBy::kNone) candidates.push_back(task);
  }
  CountKept(tasks, node, spared);
  // Not std::sort: orders of single plugins hold within a job or a queue, and indices of tasks only
  // where both have one, so that together they may go round in a circle. Then the order of
  // NodeTasks has a say in the outcome.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](TaskId a, TaskId b) { return EvictedBefore(session, ask.task, a, b); });
  return candidates;
}

model::ResourceVec MostToGain(const Session& session, const NodeTasks& tasks, const Ask& ask,
                              NodeId node) {
  const QueueId own = QueueOf(session, ask.task);
  model::ResourceVec sum;
  for (const NodeTasks::Share& share : tasks.SharesOn(node)) {
    if (IsWithinReach(share, own, ask.reach)) sum += share.request;
  }
  return sum;
}

bool CountOutOfReach(const Session& session, const NodeTasks& tasks, const Ask& ask, NodeId node,
                     SparedCounts* spared) {
  const QueueId own = QueueOf(session, ask.task);
  const bool reclaims = ask.reach == Reach::kOtherQueues;
  bool any_within = false;
  for (const NodeTasks::Share& share : tasks.SharesOn(node)) {
    if (IsWithinReach(share, own, ask.reach)) {
      any_within = true;
    } else {
      spared->Add(reclaims ? SparedBy::kOwnQueue : SparedBy::kOtherQueue, share.tasks);
    }
  }
  CountKept(tasks, node, spared);
  return any_within;
}

framework::VictimAsker AskerOf(const Ask& ask) {
  using framework::VictimKind;
  const bool reclaims = ask.reach == Reach::kOtherQueues;
  return {.kind = reclaims ? VictimKind::kReclaim : VictimKind::kPreempt, .task = ask.task};
}

bool CouldStrikeBack(const Session& session, const Ask& ask, TaskId victim, int tier) {
  const model::TaskRow& row = session.task(victim);
  if (row.never_preempts || !session.task(ask.task).preemptable) return false;
  if (!framework::IsStarving(session, row.job)) return false;
  if (ask.reach == Reach::kOtherQueues) {
    const QueueId queue = session.job(row.job).queue;
    if (!session.queue(QueueOf(session, ask.task)).reclaimable) return false;
    if (session.votes().Overused(queue)) return false;
    if (!framework::ForbidsDemand(session, queue, absl::Span<const TaskId>(&victim, 1)).empty()) {
      return false;
    }
  }
  const bool alone = ask.reach == Reach::kOtherQueues || !IsBestEffort(session, victim) ||
                     IsBestEffort(session, ask.task);
  if (alone) {
    const Ask back{.task = victim, .reach = ask.reach};
    const auto choice =
        framework::GrantedVictims(session, AskerOf(back), absl::Span<const TaskId>(&ask.task, 1));
    if (!choice.victims.empty() && choice.tier <= tier) return true;
  }
  if (ask.reach == Reach::kOwnJob) return false;
  using Kind = framework::EvictionContext::Kind;
  const Kind kind = ask.reach == Reach::kOtherQueues ? Kind::kGangReclaim : Kind::kGangPreempt;
  return GangCouldStrikeBack(session, kind, absl::Span<const TaskId>(&ask.task, 1),
                             absl::Span<const TaskId>(&victim, 1), tier);
}

}  // namespace bth::actions::eviction
