#include "algo/gang_surplus.h"

#include <algorithm>

namespace bth::algo {

GangSurplus::GangSurplus(const JobView& job)
    : job_(job), left_(job.counts().ready() - job.row().min_available) {
  const model::JobRow& row = job.row();
  if (row.roles != nullptr && row.min_available >= row.role_minimum_sum) {
    for (model::RoleId id : *row.roles) {
      const int32_t ready = model::CountStatuses(job.usage.roles[id].by_status, kReadyGroup);
      roles_.push_back({.role = id, .left = ready - job.base.roles[id].min_available});
    }
  }
  if (row.group_minimums == nullptr || row.sub_jobs == nullptr) return;
  for (const auto& [group, minimum] : *row.group_minimums) groups_.push_back(-minimum);
  if (groups_.empty()) return;
  for (model::SubJobId id : *row.sub_jobs) {
    const model::SubJobRow& sub_job = job.base.sub_jobs[id];
    if (sub_job.group < 0 || !IsReady(sub_job, job.usage.sub_jobs[id])) continue;
    ++groups_[static_cast<size_t>(sub_job.group)];
  }
}

GangSurplus::RoleLeft* GangSurplus::FindRole(model::RoleId role) {
  const auto found = std::find_if(roles_.begin(), roles_.end(),
                                  [role](const RoleLeft& entry) { return entry.role == role; });
  return found == roles_.end() ? nullptr : &*found;
}

int32_t& GangSurplus::MembersLeft(model::SubJobId sub_job) {
  const auto [it, first] = members_left_.try_emplace(sub_job);
  if (first) {
    it->second = job_.usage.sub_jobs[sub_job].ready() - job_.base.sub_jobs[sub_job].min_available;
  }
  return it->second;
}

bool GangSurplus::Take(model::TaskId task) {
  if (left_ <= 0) return false;
  const model::TaskRow& row = job_.base.tasks[task];
  RoleLeft* const role = row.role.valid() ? FindRole(row.role) : nullptr;
  if (role != nullptr && role->left <= 0) return false;
  int32_t* group = nullptr;
  if (!groups_.empty() && row.sub_job.valid()) {
    const int32_t index = job_.base.sub_jobs[row.sub_job].group;
    int32_t& members = MembersLeft(row.sub_job);
    if (index >= 0 && members == 0) group = &groups_[static_cast<size_t>(index)];
    if (group != nullptr && *group <= 0) return false;
    --members;
  }
  --left_;
  if (role != nullptr) --role->left;
  if (group != nullptr) --*group;
  return true;
}

}  // namespace bth::algo
