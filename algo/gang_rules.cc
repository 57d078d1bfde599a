#include "algo/gang_rules.h"

#include <vector>

namespace bth::algo {
namespace {

using model::JobCounts;
using model::kAllocatedGroup;
using model::RoleCounts;
using model::StatusBit;
using model::SubJobCounts;
using model::SubJobRow;
using model::TaskStatus;

constexpr uint32_t kPipelinedGroup = kReadyGroup | StatusBit(TaskStatus::kPipelined);
constexpr uint32_t kValidGroup = kPipelinedGroup | StatusBit(TaskStatus::kPending);

// Every role has at least its minimum of tasks in `group`.
bool RolesReach(const JobView& job, uint32_t group) {
  const model::JobRow& row = job.row();
  if (row.roles == nullptr || row.min_available < row.role_minimum_sum) return true;
  for (model::RoleId id : *row.roles) {
    const int32_t minimum = job.base.roles[id].min_available;
    if (minimum == 0) continue;
    const RoleCounts& role = job.usage.roles[id];
    if (model::CountStatuses(role.by_status, group) < minimum) return false;
  }
  return true;
}

template <typename Claim>
bool SubJobsReach(const JobView& job, const Claim& claim) {
  const model::JobRow& row = job.row();
  if (row.group_minimums == nullptr || row.group_minimums->empty()) return true;
  const auto& minimums = *row.group_minimums;
  std::vector<int32_t> reached(minimums.size(), 0);
  if (row.sub_jobs != nullptr) {
    for (model::SubJobId id : *row.sub_jobs) {
      const SubJobRow& sub_job = job.base.sub_jobs[id];
      if (sub_job.group < 0 || !claim(sub_job, job.usage.sub_jobs[id])) continue;
      ++reached[static_cast<size_t>(sub_job.group)];
    }
  }
  for (size_t g = 0; g < minimums.size(); ++g) {
    if (reached[g] < minimums[g].second) return false;
  }
  return true;
}

}  // namespace

int32_t ValidTasks(const JobCounts& counts) {
  return counts.Count(kValidGroup);
}

bool IsReady(int32_t min_available, const JobCounts& counts) {
  return counts.ready() >= min_available;
}

bool IsPipelined(int32_t min_available, const JobCounts& counts) {
  return counts.waiting() + counts.ready() >= min_available;
}

bool IsStarving(int32_t min_available, const JobCounts& counts) {
  return counts.waiting() + counts.ready() < min_available;
}

bool LooksReady(int32_t min_available, const JobCounts& counts) {
  return counts.ready() + counts.pending_best_effort >= min_available;
}

bool LooksReady(const SubJobRow& row, const SubJobCounts& counts) {
  return counts.ready() + counts.pending_best_effort >= row.min_available;
}

bool IsReady(const SubJobRow& row, const SubJobCounts& counts) {
  return counts.ready() >= row.min_available;
}

bool IsPipelined(const SubJobRow& row, const SubJobCounts& counts) {
  return counts.waiting() + counts.ready() >= row.min_available;
}

bool RolesValid(const JobView& job) {
  return RolesReach(job, kValidGroup);
}
bool RolesReady(const JobView& job) {
  return RolesReach(job, kReadyGroup);
}
bool RolesPipelined(const JobView& job) {
  return RolesReach(job, kPipelinedGroup);
}

bool SubJobsValid(const JobView& job) {
  return SubJobsReach(job, [](const SubJobRow&, const SubJobCounts&) { return true; });
}

bool SubJobsReady(const JobView& job) {
  return SubJobsReach(
      job, [](const SubJobRow& row, const SubJobCounts& counts) { return IsReady(row, counts); });
}

bool SubJobsPipelined(const JobView& job) {
  return SubJobsReach(job, [](const SubJobRow& row, const SubJobCounts& counts) {
    return IsPipelined(row, counts);
  });
}

bool GangStands(const JobView& job) {
  return job.counts().ready() > 0 && IsReady(job.row().min_available, job.counts()) &&
         RolesReady(job) && SubJobsReady(job);
}

model::PodGroupPhase DerivePhase(const model::JobCounts& counts, int32_t min_member,
                                 bool unschedulable_now) {
  using model::PodGroupPhase;
  if (counts.count(model::TaskStatus::kRunning) > 0 && unschedulable_now) {
    return PodGroupPhase::kUnknown;
  }
  const int32_t scheduled = counts.Count(model::kScheduledGroup) + counts.releasing_on_node;
  const int32_t completed = counts.Count(model::kCompletedGroup);
  if (scheduled >= min_member) {
    return completed == scheduled ? PodGroupPhase::kCompleted : PodGroupPhase::kRunning;
  }
  return counts.phase == PodGroupPhase::kInqueue ? PodGroupPhase::kInqueue
                                                 : PodGroupPhase::kPending;
}

bool WaitsForReplacements(int32_t min_available, const JobCounts& counts) {
  if (counts.releasing_on_node == 0) return false;
  if (counts.count(TaskStatus::kPending) > 0 || counts.waiting() > 0) return false;
  return counts.Count(model::kScheduledGroup) + counts.releasing_on_node >= min_available;
}

}  // namespace bth::algo
