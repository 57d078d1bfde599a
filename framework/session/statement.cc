#include "framework/session/statement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "framework/session/effects.h"

namespace bth::framework {

using model::NodeId;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

void Statement::Apply(TaskId task, const TaskState& to, TaskId beneficiary) {
  Log(task, beneficiary);
  session_.placements().Set({}, task, to);
}

void Statement::Log(TaskId task, TaskId beneficiary) {
  const TaskState& before = session_.state(task);
  // What is pending or runs may have been changed before by this statement, if it changed what is
  // neither: it is pending again.
  may_repeat_ |= before.status != TaskStatus::kPending &&
                 !model::InGroup(before.status, model::kPreemptableGroup);
  log_.push_back({.task = task,
                  .beneficiary = beneficiary,
                  .before = before,
                  .version_before = session_.placements().version()});
}

void Statement::Allocate(TaskId task, NodeId node) {
  Apply(task, {.status = TaskStatus::kAllocated, .node = node}, TaskId());
}

void Statement::Pipeline(TaskId task, NodeId node, bool evicts) {
  Apply(task, {.status = TaskStatus::kPipelined, .evicts = evicts, .node = node}, TaskId());
}

void Statement::Evict(TaskId victim, TaskId beneficiary) {
  Apply(victim, {.status = TaskStatus::kReleasing, .node = session_.state(victim).node},
        beneficiary);
}

void Statement::Unpipeline(TaskId task) {
  Apply(task, TaskState(), TaskId());
}

void Statement::RollbackTo(Mark mark) {
  for (; log_.size() > mark.size; log_.pop_back()) {
    const Change& change = log_.back();
    session_.placements().Restore({}, change.task, change.before, change.version_before);
  }
}

void Statement::DiscardTo(Mark mark) {
  for (size_t i = log_.size(); i > mark.size; --i) {
    session_.notes().RememberPlan({}, log_[i - 1].task, session_.state(log_[i - 1].task));
  }
  RollbackTo(mark);
}

std::vector<Statement::Placed> Statement::PlacedSince(Mark mark) const {
  std::vector<Placed> placed;
  for (size_t i = mark.size; i < log_.size(); ++i) {
    const TaskState& now = session_.state(log_[i].task);
    const bool has_place = model::InGroup(now.status, model::kOccupyingGroup);
    if (has_place && now != log_[i].before) placed.push_back({log_[i].task, now});
  }
  return placed;
}

void Statement::Redo(const std::vector<Placed>& placed) {
  for (const Placed& one : placed) {
    if (session_.state(one.task) != one.state) Apply(one.task, one.state, TaskId());
  }
}

void Statement::Adopt(TaskId task) {
  Log(task, TaskId());
}

bool Statement::HasEvictions() const {
  return std::any_of(log_.begin(), log_.end(), [this](const Change& change) {
    return session_.state(change.task).status == TaskStatus::kReleasing;
  });
}

void Statement::End() {
  for (const Change& change : log_) {
    const TaskState& now = session_.state(change.task);
    const bool placed =
        model::InGroup(now.status, model::kAllocatedGroup) || now.status == TaskStatus::kPipelined;
    const model::JobId job = session_.task(change.task).job;
    if (placed && job.valid()) session_.notes().ForgetVictimSearches({}, job);
    const bool took_room = model::InGroup(change.before.status, model::kOccupyingGroup);
    const bool takes_room = model::InGroup(now.status, model::kOccupyingGroup);
    if (took_room && !takes_room) session_.placements().NoteRoomGrew({});
  }
  log_.clear();
}

void Statement::Keep() {
  End();
}

absl::Status Statement::Commit() {
  EffectBatch batch{.snapshot = session_.context().snapshot, .action = std::string(action_)};
  batch.binds.reserve(log_.size());
  absl::flat_hash_set<TaskId> seen;  // A task changed twice counts once, as it is now.
  for (const Change& change : log_) {
    if (may_repeat_ && !seen.insert(change.task).second) continue;
    const TaskState& now = session_.state(change.task);
    if (now.status == TaskStatus::kAllocated) {
      batch.binds.push_back({.task = change.task,
                             .node = now.node,
                             .volumes = session_.votes().VolumePlanOf(change.task),
                             .claims = session_.votes().ClaimPlanOf(change.task),
                             .cpus = session_.votes().CpuPlanOf(change.task),
                             .devices = session_.votes().DevicePlanOf(change.task)});
    } else if (now.status == TaskStatus::kReleasing) {
      batch.evictions.push_back({change.task, change.beneficiary, std::string(action_)});
    } else if (now.status == TaskStatus::kPipelined && now.evicts) {
      batch.pipelines.push_back({change.task, now.node});
    }
    session_.notes().ForgetPlan({}, change.task);
  }
  // Without victims a pipelined task repeats what the task's nomination says.
  if (batch.evictions.empty()) batch.pipelines.clear();
  std::vector<std::pair<TaskId, NodeId>> bound;
  bound.reserve(batch.binds.size());
  for (const BindEffect& bind : batch.binds) bound.emplace_back(bind.task, bind.node);
  if (!batch.binds.empty() || !batch.evictions.empty()) {
    if (absl::Status status = session_.context().sink->Submit(std::move(batch)); !status.ok()) {
      RollbackTo(Mark{});
      return status;
    }
  }
  for (const auto& [task, node] : bound) {
    session_.placements().Set({}, task, {.status = TaskStatus::kBinding, .node = node});
  }
  End();
  return absl::OkStatus();
}

}  // namespace bth::framework
