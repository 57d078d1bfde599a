#include "framework/hooks/plugin.h"

namespace bth::framework {
namespace {

using conf::HookFlag;

}  // namespace

HookOrigin HookRegistrar::NextOrigin() {
  HookOrigin origin = origin_;
  origin.position = table_.next_position++;
  return origin;
}

bool HookRegistrar::hierarchy_enabled() const {
  return option_.flags[HookFlag::kHierarchy];
}

// A hook that follows a flag, and one that is always on.
#define BTH_FLAGGED_HOOK(Method, Type, list, flag)                                   \
  void HookRegistrar::Method(Type fn) {                                              \
    if (option_.flags[HookFlag::flag]) table_.list.Add(NextOrigin(), std::move(fn)); \
  }
#define BTH_PLAIN_HOOK(Method, Type, list)        \
  void HookRegistrar::Method(Type fn) {           \
    table_.list.Add(NextOrigin(), std::move(fn)); \
  }

using NameCompareFn = std::function<int(std::string_view, std::string_view)>;
using PreFilterFn = std::function<ReasonId(TaskId)>;
using QueueTestFn = std::function<bool(QueueId)>;
using PreemptiveFn = std::function<bool(QueueId, absl::Span<const TaskId>)>;
using AllocatableFn = std::function<bool(QueueId, TaskId)>;
using JobValidFn = std::function<JobValidity(JobId)>;
using JobTestFn = std::function<bool(JobId)>;
using JobVoteFn = std::function<Vote(JobId)>;
using SubJobTestFn = std::function<bool(SubJobId)>;
using SubJobVoteFn = std::function<Vote(SubJobId)>;
using JobNoteFn = std::function<void(JobId)>;
using TargetJobFn = std::function<JobId(absl::Span<const JobId>)>;
using NotifyFn = std::function<void()>;

BTH_FLAGGED_HOOK(JobOrder, JobCompareFn, job_order, kJobOrder)
BTH_FLAGGED_HOOK(QueueOrder, QueueCompareFn, queue_order, kQueueOrder)
BTH_PLAIN_HOOK(VictimQueueOrder, VictimQueueCompareFn, victim_queue_order)
BTH_FLAGGED_HOOK(TaskOrder, TaskCompareFn, task_order, kTaskOrder)
BTH_FLAGGED_HOOK(SubJobOrder, SubJobCompareFn, sub_job_order, kSubJobOrder)
BTH_FLAGGED_HOOK(ClusterOrder, NameCompareFn, cluster_order, kClusterOrder)
BTH_FLAGGED_HOOK(PreFilter, PreFilterFn, pre_filter, kPredicate)
BTH_FLAGGED_HOOK(FilterStatic, StaticFilterFn, static_filter, kPredicate)
BTH_FLAGGED_HOOK(FilterUsage, UsageFilterFn, usage_filter, kPredicate)
BTH_FLAGGED_HOOK(BestNode, BestNodeFn, best_node, kBestNode)
BTH_FLAGGED_HOOK(ScoreStatic, StaticScore, static_score, kNodeOrder)
BTH_FLAGGED_HOOK(ScoreUsage, UsageScoreFn, usage_score, kNodeOrder)
BTH_FLAGGED_HOOK(HyperNodeScore, HyperNodeScoreFn, hyper_node_score, kHyperNodeOrder)
BTH_FLAGGED_HOOK(HyperNodeGradient, HyperNodeGradientFn, hyper_node_gradient, kHyperNodeGradient)
BTH_FLAGGED_HOOK(VictimTasks, VictimTasksFn, victim_tasks, kVictim)
BTH_FLAGGED_HOOK(VictimFilter, VictimTasksFn, victim_filter, kVictim)
BTH_FLAGGED_HOOK(Overused, QueueTestFn, overused, kOverused)
BTH_FLAGGED_HOOK(Preemptive, PreemptiveFn, preemptive, kPreemptive)
BTH_FLAGGED_HOOK(Allocatable, AllocatableFn, allocatable, kAllocatable)
BTH_PLAIN_HOOK(QueueRoom, QueueRoomFn, queue_room)
BTH_PLAIN_HOOK(JobValid, JobValidFn, job_valid)
BTH_FLAGGED_HOOK(JobReady, JobTestFn, job_ready, kJobReady)
BTH_FLAGGED_HOOK(JobPipelined, JobVoteFn, job_pipelined, kJobPipelined)
BTH_FLAGGED_HOOK(SubJobReady, SubJobTestFn, sub_job_ready, kSubJobReady)
BTH_FLAGGED_HOOK(SubJobPipelined, SubJobVoteFn, sub_job_pipelined, kSubJobPipelined)
BTH_FLAGGED_HOOK(JobEnqueueable, JobVoteFn, job_enqueueable, kJobEnqueued)
BTH_FLAGGED_HOOK(JobEnqueued, JobNoteFn, job_enqueued, kJobEnqueued)
BTH_FLAGGED_HOOK(JobStarving, JobTestFn, job_starving, kJobStarving)
BTH_FLAGGED_HOOK(TargetJob, TargetJobFn, target_job, kTargetJob)
BTH_FLAGGED_HOOK(ReservedNodes, NotifyFn, reserved_nodes, kReservedNodes)
BTH_PLAIN_HOOK(BeforeScan, NotifyFn, before_scan)
BTH_PLAIN_HOOK(OnPlace, TaskEventFn, on_place)
BTH_PLAIN_HOOK(OnRemove, TaskEventFn, on_remove)
BTH_PLAIN_HOOK(OnGateLifted, TaskEventFn, on_gate_lifted)
BTH_PLAIN_HOOK(PlanVolumes, VolumePlanFn, volume_plan)
BTH_PLAIN_HOOK(OnClose, NotifyFn, on_close)

void HookRegistrar::Preemptable(EvictableFn fn, GrantBounds bounds) {
  if (!option_.flags[HookFlag::kPreemptable]) return;
  const HookOrigin origin = NextOrigin();
  table_.preemptable.Add(origin, std::move(fn));
  if (!bounds.empty()) table_.preemptable_bounds.Add(origin, std::move(bounds));
}

void HookRegistrar::Reclaimable(EvictableFn fn, GrantBounds bounds) {
  if (!option_.flags[HookFlag::kReclaimable]) return;
  const HookOrigin origin = NextOrigin();
  table_.reclaimable.Add(origin, std::move(fn));
  if (!bounds.empty()) table_.reclaimable_bounds.Add(origin, std::move(bounds));
}

void HookRegistrar::UnifiedEvictable(UnifiedEvictableFn fn, GrantBounds bounds) {
  const HookOrigin origin = NextOrigin();
  table_.unified_evictable.Add(origin, std::move(fn));
  if (!bounds.empty()) table_.unified_evictable_bounds.Add(origin, std::move(bounds));
}

void HookRegistrar::FilterGlobal(GlobalFilterFn fn, ConcernsFn concerns) {
  if (!option_.flags[HookFlag::kPredicate]) return;
  table_.global_filter.Add(NextOrigin(), {std::move(fn), std::move(concerns)});
}

void HookRegistrar::FilterByQueue(GlobalFilterFn fn, ConcernsFn concerns) {
  if (!option_.flags[HookFlag::kPredicate]) return;
  table_.global_filter.Add(NextOrigin(), {std::move(fn), std::move(concerns), /*by_queue=*/true});
}

void HookRegistrar::ScoreGlobal(GlobalScoreFn fn, ConcernsFn concerns) {
  if (!option_.flags[HookFlag::kNodeOrder]) return;
  table_.global_score.Add(NextOrigin(), {{std::move(fn), std::move(concerns)}});
}

void HookRegistrar::ScoreGlobal(GlobalScore score) {
  if (!option_.flags[HookFlag::kNodeOrder]) return;
  table_.global_score.Add(NextOrigin(), std::move(score));
}

void HookRegistrar::ScoreByQueue(GlobalScoreFn fn, ConcernsFn concerns) {
  if (!option_.flags[HookFlag::kNodeOrder]) return;
  table_.global_score.Add(NextOrigin(), {{std::move(fn), std::move(concerns), /*by_queue=*/true}});
}

#undef BTH_FLAGGED_HOOK
#undef BTH_PLAIN_HOOK

conf::KnownNames Registry::Names() const {
  conf::KnownNames names;
  for (const auto& [name, factory] : actions) names.actions.push_back(name);
  for (const auto& [name, factory] : plugins) names.plugins.push_back(name);
  return names;
}

}  // namespace bth::framework
