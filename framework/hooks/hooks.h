// What plugins may add to a session, and how the answers of several plugins combine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/snapshot.h"
#include "framework/hooks/hook_types.h"
#include "framework/prospects/grant_bounds.h"
#include "framework/unschedulable/answer_sources.h"

namespace bth::framework {

// Where a hook comes from: tier number, plugin name for reports, and position among all hooks of
// the session in order of registration.
struct HookOrigin {
  int tier = 0;
  std::string_view plugin;
  int position = 0;
};

template <typename Fn>
struct HookEntry {
  HookOrigin origin;
  Fn fn;
};

// Hooks of one kind in order of tier and plugin. Filled while the session opens, then frozen.
template <typename Fn>
class HookList {
 public:
  void Add(HookOrigin origin, Fn fn) { entries_.push_back({origin, std::move(fn)}); }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  const HookEntry<Fn>& operator[](size_t i) const { return entries_[i]; }

 private:
  std::vector<HookEntry<Fn>> entries_;
};

// The lists by hook kind. Plugins do not write here directly: they use HookRegistrar, which knows
// the plugin's tier and its enable flags. Simulation hooks of Volcano have no list: what-if
// searches place and evict on the session itself and roll back, so that every plugin's counters
// and filters take part by the same on_place and on_remove.
struct HookTable {
  int next_position = 0;

  HookList<JobCompareFn> job_order;
  HookList<QueueCompareFn> queue_order;
  HookList<VictimQueueCompareFn> victim_queue_order;
  HookList<TaskCompareFn> task_order;
  HookList<SubJobCompareFn> sub_job_order;
  HookList<std::function<int(std::string_view, std::string_view)>> cluster_order;

  // Before any node is looked at: a reason holds the task off all nodes.
  HookList<std::function<ReasonId(TaskId)>> pre_filter;
  HookList<StaticFilterFn> static_filter;
  HookList<UsageFilterFn> usage_filter;
  HookList<GlobalFilter> global_filter;
  HookList<BestNodeFn> best_node;
  HookList<StaticScore> static_score;
  HookList<UsageScoreFn> usage_score;
  HookList<GlobalScore> global_score;
  HookList<HyperNodeScoreFn> hyper_node_score;
  HookList<HyperNodeGradientFn> hyper_node_gradient;

  HookList<EvictableFn> preemptable;
  HookList<EvictableFn> reclaimable;
  HookList<UnifiedEvictableFn> unified_evictable;
  // What is known beforehand of the answers of these three; each of the same origin as its hook.
  HookList<GrantBounds> preemptable_bounds;
  HookList<GrantBounds> reclaimable_bounds;
  HookList<GrantBounds> unified_evictable_bounds;
  HookList<VictimTasksFn> victim_tasks;
  // Each keeps, of what victim_tasks named, those that may go.
  HookList<VictimTasksFn> victim_filter;

  HookList<std::function<bool(QueueId)>> overused;
  HookList<std::function<bool(QueueId, absl::Span<const TaskId>)>> preemptive;
  HookList<std::function<bool(QueueId, TaskId)>> allocatable;

  // Of each plugin that refuses for want of a queue's room.
  HookList<QueueRoomFn> queue_room;

  HookList<std::function<JobValidity(JobId)>> job_valid;
  HookList<std::function<bool(JobId)>> job_ready;
  HookList<std::function<Vote(JobId)>> job_pipelined;
  HookList<std::function<bool(SubJobId)>> sub_job_ready;
  HookList<std::function<Vote(SubJobId)>> sub_job_pipelined;
  HookList<std::function<Vote(JobId)>> job_enqueueable;
  HookList<std::function<void(JobId)>> job_enqueued;
  HookList<std::function<bool(JobId)>> job_starving;
  HookList<std::function<JobId(absl::Span<const JobId>)>> target_job;
  HookList<std::function<void()>> reserved_nodes;
  // Scheduling thread, before many nodes are asked about: columns of node values catch up here.
  HookList<std::function<void()>> before_scan;

  // Event handlers: run when a task enters or leaves the occupying group (placed, promised;
  // evicted, undone), for doing and undoing alike. The task's new state is already set.
  HookList<TaskEventFn> on_place;
  HookList<TaskEventFn> on_remove;
  // A task's queue has room for it, and its gate goes: it may be placed in some later cycle.
  HookList<TaskEventFn> on_gate_lifted;

  // What must be done to the claims of a task that is placed before it can be bound; null: nothing.
  HookList<VolumePlanFn> volume_plan;

  // At session close, before statuses are derived; in order of tier and plugin.
  HookList<std::function<void()>> on_close;
};

// Combination rules (framework specification §14). Each is tested once, here.
namespace combine {

// First answer that is not 0.
template <typename List, typename... Args>
int FirstNonZero(const List& list, const Args&... args) {
  for (const auto& entry : list) {
    if (const int order = entry.fn(args...); order != 0) return order;
  }
  return 0;
}

template <typename List, typename... Args>
bool All(const List& list, const Args&... args) {
  for (const auto& entry : list) {
    if (!entry.fn(args...)) return false;
  }
  return true;
}

template <typename List, typename... Args>
bool Any(const List& list, const Args&... args) {
  for (const auto& entry : list) {
    if (entry.fn(args...)) return true;
  }
  return false;
}

// A reject decides at once; else the first tier with a permit; nobody: yes.
template <typename List, typename Arg>
bool Permitted(const List& list, const Arg& arg) {
  bool permitted = false;
  int tier = -1;
  for (const auto& entry : list) {
    if (permitted && entry.origin.tier != tier) return true;
    tier = entry.origin.tier;
    const Vote vote = entry.fn(arg);
    if (vote == Vote::kReject) return false;
    permitted = permitted || vote == Vote::kPermit;
  }
  return true;
}

// The first tier that has a hook decides: all of its hooks must agree; nobody: no.
bool Starving(const HookList<std::function<bool(JobId)>>& list, JobId job);

struct VictimChoice {
  std::vector<TaskId> victims;
  int tier = -1;                      // Of the tier that named them.
  std::vector<HookOrigin> overruled;  // Plugins of earlier tiers that named nobody.
};

// Intersection inside a tier, in the order of its first plugin; an empty intersection stays
// empty. The first tier that names a victim decides; with `strict`, an empty answer of a tier is
// final.
template <typename List, typename Evictor>
VictimChoice Victims(const List& list, const Evictor& evictor, absl::Span<const TaskId> candidates,
                     bool strict);

}  // namespace combine

}  // namespace bth::framework

#include "framework/hooks/hooks_victims.inc.h"
