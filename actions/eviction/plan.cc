#include "actions/eviction/plan.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace bth::actions::eviction {

using framework::Statement;
using model::NodeId;
using model::TaskId;

void Plan::Evict(TaskId victim, TaskId beneficiary) {
  steps_.push_back(
      {.task = victim, .beneficiary = beneficiary, .node = session_.state(victim).node});
  statement_.Evict(victim, beneficiary);
}

void Plan::Pipeline(TaskId task, NodeId node) {
  Redo({.task = task, .beneficiary = TaskId(), .node = node},
       !steps_.empty() && steps_.back().beneficiary == task);
}

void Plan::RollbackTo(Mark mark) {
  steps_.resize(std::min(steps_.size(), mark.steps));
  statement_.RollbackTo(Statement::Mark{steps_.size()});
}

void Plan::Redo(const Step& step, bool room_was_made) {
  if (step.is_eviction()) {
    Evict(step.task, step.beneficiary);
    return;
  }
  // A pod that was nominated before goes on waiting there.
  const bool nominated = session_.task(step.task).nominated_node == step.node;
  steps_.push_back(step);
  statement_.Pipeline(step.task, step.node, room_was_made || nominated);
}

void Plan::PutEvictionsFirst(Mark mark) {
  const std::vector<Step> tail(steps_.begin() + static_cast<std::ptrdiff_t>(mark.steps),
                               steps_.end());
  RollbackTo(mark);
  absl::flat_hash_set<TaskId> beneficiaries;
  for (const Step& step : tail) {
    if (!step.is_eviction()) continue;
    Redo(step, false);
    beneficiaries.insert(step.beneficiary);
  }
  for (const Step& step : tail) {
    if (!step.is_eviction()) Redo(step, beneficiaries.contains(step.task));
  }
}

Plan::AskedByNode Plan::AskedSince(Mark mark) const {
  AskedByNode asked;
  for (size_t i = mark.steps; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (!step.is_eviction()) asked[step.node] |= session_.request(step.task).Positive();
  }
  return asked;
}

// With the victim back in its place, the pipelined tasks on its node would lack what they asked
// for.
bool Plan::RoomIsNeeded(const Step& eviction, const AskedByNode& asked) const {
  const auto dims = asked.find(eviction.node);
  if (dims == asked.end()) return false;
  const model::ResourceVec left = session_.usage().FutureIdle(eviction.node);
  const model::ResourceVec& request = session_.request(eviction.task);
  for (int d = 0; d < model::kDims; ++d) {
    if ((dims->second >> d & 1u) != 0 && request[d] > left[d]) return true;
  }
  return false;
}

bool Plan::RedoWithout(size_t eviction, MayTake may_take) {
  const std::vector<Step> tail(steps_.begin() + static_cast<std::ptrdiff_t>(eviction),
                               steps_.end());
  redone_steps_ += tail.size();
  RollbackTo({eviction});
  absl::flat_hash_set<TaskId> beneficiaries;
  for (const Step& step : steps_) beneficiaries.insert(step.beneficiary);
  for (size_t i = 1; i < tail.size(); ++i) beneficiaries.insert(tail[i].beneficiary);
  for (size_t i = 1; i < tail.size(); ++i) {
    if (tail[i].is_eviction() || may_take(tail[i].task, tail[i].node)) {
      Redo(tail[i], beneficiaries.contains(tail[i].task));
      continue;
    }
    RollbackTo({eviction});
    beneficiaries.insert(tail.front().beneficiary);
    for (const Step& step : tail) Redo(step, beneficiaries.contains(step.task));
    return false;
  }
  return true;
}

void Plan::Spare(Mark mark, MayTake may_take) {
  if (VictimsSince(mark).empty()) return;
  const AskedByNode asked = AskedSince(mark);
  PutEvictionsFirst(mark);
  for (size_t i = steps_.size(); i > mark.steps; --i) {
    if (redone_steps_ > kRedoneStepsMax) return;
    if (!steps_[i - 1].is_eviction() || RoomIsNeeded(steps_[i - 1], asked)) continue;
    RedoWithout(i - 1, may_take);
  }
}

std::vector<TaskId> Plan::VictimsSince(Mark mark) const {
  std::vector<TaskId> victims;
  for (size_t i = mark.steps; i < steps_.size(); ++i) {
    if (steps_[i].is_eviction()) victims.push_back(steps_[i].task);
  }
  return victims;
}

bool Plan::HasEvictions() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.is_eviction(); });
}

size_t Plan::pipelined() const {
  return static_cast<size_t>(std::count_if(steps_.begin(), steps_.end(),
                                           [](const Step& step) { return !step.is_eviction(); }));
}

TaskId Plan::FirstServed() const {
  if (steps_.empty()) return TaskId();
  const Step& first = steps_.front();
  return first.is_eviction() ? first.beneficiary : first.task;
}

absl::Status Plan::Commit() {
  const bool evicts = HasEvictions();
  for (const Step& step : steps_) {
    if (!evicts || step.is_eviction() || session_.state(step.task).evicts) continue;
    // Who came by a place without victims keeps it with the others of its gang.
    statement_.Unpipeline(step.task);
    statement_.Pipeline(step.task, step.node, true);
  }
  absl::Status status = statement_.Commit();
  steps_.clear();
  return status;
}

}  // namespace bth::actions::eviction
