#include "framework/session/placements.h"

#include <utility>

namespace bth::framework {
namespace {

using model::JobId;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

// Placed by a statement that has not handed its bindings out, and may never do so.
constexpr uint32_t kUncommitted =
    model::StatusBit(TaskStatus::kAllocated) | model::StatusBit(TaskStatus::kPipelined);

}  // namespace

Placements::Placements(const model::Snapshot& base, const HookTable& hooks, TouchedJobs& touched,
                       Culprit& culprit)
    : base_(base), hooks_(hooks), touched_(touched), culprit_(culprit), usage_(base.usage) {
  usage_.pipelined.Resize(usage_.idle.size());
}

void Placements::SetPhase(JobId id, model::PodGroupPhase phase) {
  usage_.jobs.Mutable(id).phase = phase;
  touched_.Add(id);
}

void Placements::Set(StatementKey, TaskId id, const TaskState& to) {
  culprit_.WorkOn(base_.tasks[id].job, [&] { Apply(id, to); });
}

void Placements::Restore(StatementKey key, TaskId id, const TaskState& to, uint64_t version) {
  Set(key, id, to);
  version_ = version;
}

void Placements::Apply(TaskId id, const TaskState& to) {
  const TaskState before = usage_.tasks[id];
  const bool was_tentative = IsTentative(id, before);
  const bool is_tentative = IsTentative(id, to);
  const model::TaskRow& row = base_.tasks[id];
  usage_.Move(id, row, base_.shapes[row.shape], to);
  version_ = ++last_version_;
  if (row.job.valid()) {
    touched_.Add(row.job);
    job_changes_.push_back(row.job);
  }
  const bool same_room = before.node == to.node &&
                         model::InGroup(before.status, model::kAllocatedGroup) &&
                         model::InGroup(to.status, model::kAllocatedGroup);
  if (same_room && was_tentative == is_tentative) return;
  NotePodMove(id, before, was_tentative, -1);
  NotePodMove(id, to, is_tentative, +1);
  if (same_room) return;
  if (before.node.valid()) node_changes_.push_back(before.node);
  if (to.node.valid() && to.node != before.node) node_changes_.push_back(to.node);
  const bool was = model::InGroup(before.status, model::kOccupyingGroup);
  const bool is = model::InGroup(to.status, model::kOccupyingGroup);
  if (was == is) return;
  (is ? hooks_.on_place : hooks_.on_remove)({.task = id, .before = before, .after = to});
}

bool Placements::IsTentative(TaskId id, const TaskState& state) const {
  return tells_tentative_ && model::InGroup(state.status, kUncommitted) &&
         base_.tasks[id].job != beholder_;
}

void Placements::BeholdAs(JobId job) const {
  if (tells_tentative_ && job == beholder_) return;
  const JobId before = std::exchange(beholder_, job);
  if (tells_tentative_) {
    NoteTentative(before, true);
    NoteTentative(job, false);
    return;
  }
  tells_tentative_ = true;
  for (JobId other : touched_.jobs()) {
    if (other != job) NoteTentative(other, true);
  }
}

void Placements::NoteTentative(JobId id, bool tentative) const {
  if (!id.valid()) return;
  const model::JobCounts& counts = usage_.jobs[id];
  if (counts.count(TaskStatus::kAllocated) + counts.count(TaskStatus::kPipelined) == 0) return;
  for (TaskId task : *base_.jobs[id].tasks) {
    const TaskState& state = usage_.tasks[task];
    if (!model::InGroup(state.status, kUncommitted)) continue;
    NotePodMove(task, state, !tentative, -1);
    NotePodMove(task, state, tentative, +1);
  }
}

// Pods count where they are placed or pipelined; one that is evicted counts no more.
void Placements::NotePodMove(TaskId id, const TaskState& state, bool tentative,
                             int32_t sign) const {
  if (!state.node.valid() || !model::InGroup(state.status, model::kOccupyingGroup)) return;
  const model::TaskRow& row = base_.tasks[id];
  const model::ConstraintsId constraints = base_.shapes[row.shape].constraints;
  const model::PodPeerTerms* peer_terms = base_.constraints[constraints]->peer_terms.get();
  const bool has_terms = peer_terms != nullptr && peer_terms->has_affinity();
  pod_moves_.push_back({.node = state.node,
                        .labels = row.labels,
                        .terms = has_terms ? constraints : model::ConstraintsId(),
                        .sign = sign,
                        .tentative = tentative});
}

}  // namespace bth::framework
