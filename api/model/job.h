// Jobs (pod groups), their sub-jobs and roles, tasks (pods) and shapes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/model/budget.h"
#include "api/model/constraints.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "api/model/task_status.h"
#include "api/model/task_topology.h"

namespace bth::model {

// Rows per copy-on-write chunk. A change copies its chunk, so wide rows and rows with pointers
// (each copied pointer counts a reference) come in small chunks.
inline constexpr size_t kJobChunkRows = 16;
inline constexpr size_t kShapeChunkRows = 16;
inline constexpr size_t kPointerChunkRows = 64;

// Tasks with equal requests and constraints. Free slots have no constraints.
struct ShapeRow {
  ResourceVec request;  // Init containers, sidecars, overhead and one pod included.
  NonZeroRequest nonzero;
  ConstraintsId constraints;
  bool best_effort = false;  // The request is empty but for the pod itself.
};

// Names of a task; immutable.
struct TaskNames {
  std::string ns;
  std::string name;
  std::string uid;
  std::string role;
  int64_t created_us = 0;        // Microseconds since the epoch.
  std::optional<int64_t> index;  // Last part of a name with three parts or more.
  std::string Key() const { return ns + "/" + name; }
};

// What a pod is from its coming to its going: one that shows something else has another row.
struct TaskTraits {
  int32_t priority = 1;
  bool preemptable = true;      // In a row also false while the pod is spared.
  bool gated = false;           // Has scheduling gates.
  bool own_gate_only = false;   // Its only gate is Volcano's queue-allocation gate.
  bool keeps_room = false;      // Once without gates, its queue keeps room for it until it runs.
  bool never_preempts = false;  // preemptionPolicy Never.
  bool critical = false;        // Priority class system-cluster-critical or system-node-critical.
  friend bool operator==(const TaskTraits&, const TaskTraits&) = default;
};

// What one update of the pod object fixes.
struct TaskRow : TaskTraits {
  std::shared_ptr<const TaskNames> names;  // Null: the slot is free.
  JobId job;                               // Invalid: belongs to no job, only uses its node.
  SubJobId sub_job;
  // Invalid: it names no role, and the PodGroup has no minimum for those that name none.
  RoleId role;
  ShapeId shape;
  LabelsId labels;
  NodeId nominated_node;
  // PodDisruptionBudgets that select it; null: none.
  std::shared_ptr<const std::vector<BudgetId>> budgets;
  // Soft spread among the pods of its services and its workload, of a pod that waits and has no
  // constraints of its own; `own` is the namespace alone. Null: none.
  std::shared_ptr<const PodPeerTerms> default_spread;
  std::shared_ptr<const PodDeviceClaims> device_claims;  // Null: it has none.
  // No victim of plugin cdp before this time, in microseconds since the epoch; 0: not protected.
  int64_t protected_until_us = 0;
  int64_t started_us = 0;  // When its node took it up, since the epoch; 0: not known.
  std::shared_ptr<const std::string> document;  // As JSON; null unless a plugin needs it.
  std::optional<int32_t> pod_priority;          // spec.priority.
  bool gate_lifted = false;                     // Its gates are being taken off by us.
};

// What scheduling changes. Kept apart, so that a session copies only this.
struct TaskState {
  TaskStatus status = TaskStatus::kPending;
  bool evicts = false;  // Pipelined onto room that evictions make.
  NodeId node;          // Where it is or shall be; invalid while pending.
  friend bool operator==(const TaskState&, const TaskState&) = default;
};

using StatusCounts = std::array<int32_t, kTaskStatuses>;

constexpr int32_t CountStatuses(const StatusCounts& counts, uint32_t group) {
  int32_t sum = 0;
  for (size_t s = 0; s < kTaskStatuses; ++s) sum += (group >> s & 1u) != 0 ? counts[s] : 0;
  return sum;
}

enum class PodGroupPhase : uint8_t { kNone, kPending, kInqueue, kRunning, kUnknown, kCompleted };
std::string_view PhaseName(PodGroupPhase phase);  // "" for kNone.
PodGroupPhase ParsePhase(std::string_view text);  // Unknown texts: kNone.

// What a job, or each sub-job of a policy, asks of the network (networkTopology).
struct NetworkTopologySpec {
  enum class Mode : uint8_t { kNone, kHard, kSoft };
  Mode mode = Mode::kNone;
  std::optional<int32_t> highest_tier;
  std::string highest_tier_name;  // Counts when the number is not given.
  friend bool operator==(const NetworkTopologySpec&, const NetworkTopologySpec&) = default;
};

// Names and slow-changing parts of a job; immutable.
struct JobFacts {
  std::string ns;
  std::string name;
  std::string uid;    // Of the PodGroup; empty when only pods are known.
  std::string queue;  // Name, whether such a queue exists or not; empty without a PodGroup.
  int64_t created_us = 0;
  std::optional<int64_t> waiting_ms;       // sla-waiting-time.
  std::string budget_min_available;        // jdb-min-available, raw.
  std::string budget_max_unavailable;      // jdb-max-unavailable, raw.
  std::string revocable_zone;              // "*" or empty.
  std::vector<QuotaAmount> quota_request;  // spec.minResources under all its names, by name.
  // Of the job and of each policy of sub-jobs, in their order; empty: none asks for anything.
  std::vector<NetworkTopologySpec> topology;
  bool keeps_rank_order = false;  // Neighbours in rank are to be neighbours in the network.
  SharedTaskTopology task_topology;
  friend bool operator==(const JobFacts&, const JobFacts&) = default;
  std::string Key() const { return ns + "/" + name; }
};

struct JobRow {
  std::shared_ptr<const JobFacts> facts;  // Null: the slot is free.
  QueueId queue;                          // Invalid: the queue does not exist.
  int32_t min_available = 0;
  int32_t priority = 0;  // Of the PodGroup's priority class; of a single pod, its urgency.
  int64_t role_minimum_sum = 0;
  bool has_pod_group = false;
  bool preemptable = false;
  bool opts_out = false;  // Its PodGroup says that gang actions must not evict from it.
  bool has_min_resources = false;
  bool has_sub_group_policy = false;
  bool has_network_topology = false;
  ResourceSet min_resources;
  // Every task of the job in order of (creation, UID); shared, replaced when it changes.
  std::shared_ptr<const std::vector<TaskId>> tasks;
  std::shared_ptr<const std::vector<SubJobId>> sub_jobs;  // The default one first.
  std::shared_ptr<const std::vector<RoleId>> roles;       // With a minimum, by name.
  // Minimum number of ready sub-jobs per group, by group name.
  std::shared_ptr<const std::vector<std::pair<std::string, int32_t>>> group_minimums;
};

// What scheduling changes about a job: its phase, and sums over its tasks.
struct JobCounts {
  PodGroupPhase phase = PodGroupPhase::kNone;
  StatusCounts by_status{};
  int32_t pending_best_effort = 0;
  int32_t releasing_on_node = 0;
  ResourceVec allocated;  // Of the allocated group.
  ResourceVec pending;    // Of pending tasks.
  ResourceVec request;    // Of all tasks.
  ResourceVec leaving;    // Of releasing tasks on nodes.
  ResourceVec gated;      // Of tasks with gates other than only Volcano's own.
  ResourceVec succeeded;  // Of succeeded tasks.

  int32_t count(TaskStatus s) const { return by_status[static_cast<size_t>(s)]; }
  int32_t Count(uint32_t group) const { return CountStatuses(by_status, group); }
  int32_t total() const { return Count(~0u); }
  // Bound, binding, running, allocated and succeeded tasks.
  int32_t ready() const { return Count(kAllocatedGroup) + count(TaskStatus::kSucceeded); }
  int32_t waiting() const { return count(TaskStatus::kPipelined); }
};

struct SubJobFacts {
  std::string group;  // Policy name; the job key for the default sub-job.
  std::string key;    // <job>/<policy>-<values>; the job key for the default one.
};

struct SubJobRow {
  std::shared_ptr<const SubJobFacts> facts;  // Null: the slot is free.
  JobId job;
  int32_t group = -1;  // Index into the job's group_minimums and policies; -1: none.
  int32_t min_available = 1;
  int64_t match_index = 0;
  int32_t priority = 0;  // Highest of its tasks.
};

struct SubJobCounts {
  StatusCounts by_status{};
  int32_t pending_best_effort = 0;
  int32_t count(TaskStatus s) const { return by_status[static_cast<size_t>(s)]; }
  int32_t ready() const {
    return CountStatuses(by_status, kAllocatedGroup | StatusBit(TaskStatus::kSucceeded));
  }
  int32_t waiting() const { return count(TaskStatus::kPipelined); }
};

// A role ("task" of a batch job) that the PodGroup gives a minimum, or that some pod names.
struct RoleRow {
  JobId job;
  std::shared_ptr<const std::string> name;  // Null: the slot is free.
  int32_t min_available = 0;
};

struct RoleCounts {
  StatusCounts by_status{};
  int32_t pending_best_effort = 0;
};

}  // namespace bth::model
