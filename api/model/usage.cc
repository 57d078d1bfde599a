#include "api/model/usage.h"

#include "base/digest.h"

namespace bth::model {
namespace {

void Scale(ResourceVec& sum, const ResourceVec& part, int sign) {
  if (sign > 0) {
    sum += part;
  } else {
    sum -= part;
  }
}

void CountOnNode(Usage& usage, const ShapeRow& shape, const TaskState& state, int sign) {
  if (!state.node.valid()) return;
  const bool on_node = InGroup(state.status, kOnNodeGroup);
  const bool pipelined = state.status == TaskStatus::kPipelined;
  if (!on_node && !pipelined) return;
  if (on_node) Scale(usage.idle.Mutable(state.node), shape.request, -sign);
  if (pipelined) {
    usage.pipelined_tasks += sign;
    Scale(usage.pipelined.Mutable(state.node), shape.request, sign);
  }
  if (state.status == TaskStatus::kReleasing) {
    usage.releasing_tasks += sign;
    Scale(usage.releasing.Mutable(state.node), shape.request, sign);
  }
  NonZeroRequest& nonzero = usage.nonzero.Mutable(state.node);
  nonzero.cpu_milli += sign * shape.nonzero.cpu_milli;
  nonzero.memory_bytes += sign * shape.nonzero.memory_bytes;
}

void CountInJob(JobCounts& job, const TaskRow& task, const ShapeRow& shape, const TaskState& state,
                int sign) {
  job.by_status[static_cast<size_t>(state.status)] += sign;
  Scale(job.request, shape.request, sign);
  if (InGroup(state.status, kAllocatedGroup)) Scale(job.allocated, shape.request, sign);
  if (state.status == TaskStatus::kPending) {
    Scale(job.pending, shape.request, sign);
    if (shape.best_effort) job.pending_best_effort += sign;
  }
  if (state.status == TaskStatus::kReleasing && state.node.valid()) {
    job.releasing_on_node += sign;
    Scale(job.leaving, shape.request, sign);
  }
  if (task.gated && !task.own_gate_only) Scale(job.gated, shape.request, sign);
  if (state.status == TaskStatus::kSucceeded) Scale(job.succeeded, shape.request, sign);
}

}  // namespace

void Usage::Count(const TaskRow& task, const ShapeRow& shape, const TaskState& state, int sign) {
  CountOnNode(*this, shape, state, sign);
  if (!task.job.valid()) return;
  CountInJob(jobs.Mutable(task.job), task, shape, state, sign);
  const bool pending_best_effort = state.status == TaskStatus::kPending && shape.best_effort;
  if (task.sub_job.valid()) {
    SubJobCounts& sub_job = sub_jobs.Mutable(task.sub_job);
    sub_job.by_status[static_cast<size_t>(state.status)] += sign;
    if (pending_best_effort) sub_job.pending_best_effort += sign;
  }
  if (task.role.valid()) {
    RoleCounts& role = roles.Mutable(task.role);
    role.by_status[static_cast<size_t>(state.status)] += sign;
    if (pending_best_effort) role.pending_best_effort += sign;
  }
}

void Usage::Move(TaskId id, const TaskRow& task, const ShapeRow& shape, const TaskState& to) {
  const TaskState from = tasks[id];
  tasks.Mutable(id) = to;
  const bool same_room = from.node == to.node && InGroup(from.status, kAllocatedGroup) &&
                         InGroup(to.status, kAllocatedGroup);
  if (same_room) {
    Relabel(task, from.status, to.status);
    return;
  }
  Count(task, shape, from, -1);
  Count(task, shape, to, +1);
}

void Usage::Relabel(const TaskRow& task, TaskStatus from, TaskStatus to) {
  if (!task.job.valid()) return;
  const auto move = [from, to](StatusCounts& counts) {
    --counts[static_cast<size_t>(from)];
    ++counts[static_cast<size_t>(to)];
  };
  move(jobs.Mutable(task.job).by_status);
  if (task.sub_job.valid()) move(sub_jobs.Mutable(task.sub_job).by_status);
  if (task.role.valid()) move(roles.Mutable(task.role).by_status);
}

uint64_t Usage::DigestOf() const {
  Digest digest;
  for (NodeId node : idle.ids()) {
    idle[node].AddTo(digest);
    releasing[node].AddTo(digest);
    pipelined[node].AddTo(digest);
    digest.Add(static_cast<uint64_t>(nonzero[node].cpu_milli));
    digest.Add(static_cast<uint64_t>(nonzero[node].memory_bytes));
  }
  for (TaskId task : tasks.ids()) {
    digest.Add(static_cast<uint64_t>(tasks[task].status));
    digest.Add(tasks[task].evicts);
    digest.Add(tasks[task].node.value());
  }
  const auto add_counts = [&digest](const StatusCounts& counts) {
    for (int32_t count : counts) digest.Add(static_cast<uint64_t>(count));
  };
  for (JobId job : jobs.ids()) {
    const JobCounts& counts = jobs[job];
    add_counts(counts.by_status);
    digest.Add(static_cast<uint64_t>(counts.phase));
    digest.Add(static_cast<uint64_t>(counts.pending_best_effort));
    digest.Add(static_cast<uint64_t>(counts.releasing_on_node));
    counts.allocated.AddTo(digest);
    counts.pending.AddTo(digest);
    counts.request.AddTo(digest);
    counts.leaving.AddTo(digest);
    counts.gated.AddTo(digest);
    counts.succeeded.AddTo(digest);
  }
  for (SubJobId sub_job : sub_jobs.ids()) {
    add_counts(sub_jobs[sub_job].by_status);
    digest.Add(static_cast<uint64_t>(sub_jobs[sub_job].pending_best_effort));
  }
  for (RoleId role : roles.ids()) {
    add_counts(roles[role].by_status);
    digest.Add(static_cast<uint64_t>(roles[role].pending_best_effort));
  }
  return digest.value();
}

}  // namespace bth::model
