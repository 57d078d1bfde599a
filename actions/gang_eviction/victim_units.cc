#include "actions/gang_eviction/victim_units.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace bth::actions::gang_eviction {

using eviction::Plan;
using model::JobId;
using model::NodeId;
using model::TaskId;

VictimUnits::VictimUnits(framework::Session& session, absl::Span<const Bundle> bundles,
                         std::vector<Placement> placements)
    : session_(session), placements_(std::move(placements)) {
  for (const Bundle& bundle : bundles) {
    if (bundle.whole) {
      units_.push_back({.job = bundle.job, .whole = true, .tasks = bundle.tasks});
      continue;
    }
    for (TaskId task : bundle.tasks) units_.push_back({.job = bundle.job, .tasks = {task}});
  }
  for (const Placement& placement : placements_) {
    first_on_.try_emplace(placement.node, placement.task);
    asked_[placement.node] |= session_.request(placement.task).Positive();
  }
}

bool VictimUnits::GoesWhole(JobId job) const {
  return std::any_of(units_.begin(), units_.end(), [job](const Unit& unit) {
    return unit.job == job && unit.whole && unit.kept;
  });
}

TaskId VictimUnits::BeneficiaryOn(NodeId node) const {
  const auto first = first_on_.find(node);
  return first != first_on_.end() ? first->second : placements_.front().task;
}

bool VictimUnits::Apply(Plan& plan, MayTake may_take) const {
  for (const Unit& unit : units_) {
    if (!unit.kept) continue;
    for (TaskId task : unit.tasks) plan.Evict(task, BeneficiaryOn(session_.state(task).node));
  }
  for (const Placement& placement : placements_) {
    if (!may_take(placement.task, placement.node)) {
      plan.RollbackTo({});
      return false;
    }
    plan.Pipeline(placement.task, placement.node);
  }
  return true;
}

bool VictimUnits::HelpsSomeNode(const Unit& unit) const {
  return std::any_of(unit.tasks.begin(), unit.tasks.end(),
                     [this](TaskId task) { return first_on_.contains(session_.state(task).node); });
}

// Asked while the plan stands: what is left on a node is what nobody is pipelined to.
bool VictimUnits::RoomIsNeeded(const Unit& unit) const {
  for (TaskId task : unit.tasks) {
    const auto dims = asked_.find(session_.state(task).node);
    if (dims == asked_.end()) continue;
    const model::ResourceVec left = session_.usage().FutureIdle(dims->first);
    for (int d = 0; d < model::kDims; ++d) {
      if ((dims->second >> d & 1u) != 0 && session_.request(task)[d] > left[d]) return true;
    }
  }
  return false;
}

bool VictimUnits::TryWithout(const std::vector<size_t>& units, Plan& plan, MayTake may_take) {
  if (units.empty()) return true;
  steps_ += units_.size() + placements_.size();
  for (size_t i : units) units_[i].kept = false;
  plan.RollbackTo({});
  if (Apply(plan, may_take)) return true;
  for (size_t i : units) units_[i].kept = true;
  Apply(plan, may_take);
  return false;
}

void VictimUnits::Spare(Plan& plan, MayTake may_take) {
  std::vector<size_t> idle;
  for (size_t i = 0; i < units_.size(); ++i) {
    if (!HelpsSomeNode(units_[i])) idle.push_back(i);
  }
  std::erase_if(idle, [&](size_t i) {
    // The surplus of a gang that stays a victim as a whole is one too.
    if (units_[i].whole) return false;
    return std::any_of(units_.begin(), units_.end(), [&](const Unit& other) {
      return other.whole && other.job == units_[i].job && HelpsSomeNode(other);
    });
  });
  TryWithout(idle, plan, may_take);
  for (size_t i = units_.size(); i > 0; --i) {
    const Unit& unit = units_[i - 1];
    if (steps_ > kStepsMax) return;
    if (!unit.kept || RoomIsNeeded(unit)) continue;
    if (!unit.whole && GoesWhole(unit.job)) continue;
    TryWithout({i - 1}, plan, may_take);
  }
}

std::vector<JobId> VictimUnits::jobs() const {
  std::vector<JobId> jobs;
  for (const Unit& unit : units_) {
    if (!unit.kept) continue;
    if (std::find(jobs.begin(), jobs.end(), unit.job) == jobs.end()) jobs.push_back(unit.job);
  }
  return jobs;
}

std::vector<TaskId> VictimUnits::VictimsOf(JobId job) const {
  std::vector<TaskId> tasks;
  for (const Unit& unit : units_) {
    if (unit.kept && unit.job == job)
      tasks.insert(tasks.end(), unit.tasks.begin(), unit.tasks.end());
  }
  return tasks;
}

std::vector<TaskId> VictimUnits::winners() const {
  std::vector<TaskId> tasks;
  for (const Placement& placement : placements_) tasks.push_back(placement.task);
  return tasks;
}

}  // namespace bth::actions::gang_eviction
