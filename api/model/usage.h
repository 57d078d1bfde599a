// The columns that placing and evicting tasks change, and the one rule by which they change.
#pragma once

#include <cstdint>

#include "api/model/ids.h"
#include "api/model/job.h"
#include "api/model/node.h"
#include "api/model/resource_vec.h"
#include "base/cow_vector.h"

namespace bth::model {

// Small chunks: each placement copies the ones it changes.
using NodeAmounts = CowVector<NodeId, ResourceVec, 64>;

// Invariant: every sum equals what adding up the task states gives (tests recompute it).
// Thread: one owner; copies share unchanged chunks.
struct Usage {
  NodeAmounts idle;                           // Allocatable - on the node; may be negative.
  NodeAmounts releasing;                      // Part of what is on the node that is going away.
  NodeAmounts pipelined;                      // Not there yet; not taken from idle.
  CowVector<NodeId, NonZeroRequest> nonzero;  // Of all on the node or pipelined.
  CowVector<TaskId, TaskState> tasks;
  CowVector<JobId, JobCounts, kJobChunkRows> jobs;
  CowVector<SubJobId, SubJobCounts> sub_jobs;
  CowVector<RoleId, RoleCounts> roles;
  int64_t releasing_tasks = 0;  // On nodes.
  int64_t pipelined_tasks = 0;  // On nodes.

  // What a node will have free when everything that is leaving has left.
  ResourceVec FutureIdle(NodeId node) const {
    return idle[node] + releasing[node] - pipelined[node];
  }
  // Adds (sign +1) or takes away (-1) what `task` with that request counts for in `state`.
  // Does not touch `tasks`.
  void Count(const TaskRow& task, const ShapeRow& shape, const TaskState& state, int sign);
  // Count(-1) of the present state, then the new state, then Count(+1).
  void Move(TaskId id, const TaskRow& task, const ShapeRow& shape, const TaskState& to);

  // The part of Move that is left when both states use the same room of the allocated group.
  void Relabel(const TaskRow& task, TaskStatus from, TaskStatus to);

  // The same for equal contents, however they came about.
  uint64_t DigestOf() const;
};

}  // namespace bth::model
