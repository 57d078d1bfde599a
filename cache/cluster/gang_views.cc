#include "cache/cluster/gang_views.h"

#include <algorithm>

#include "algo/gang_rules.h"

namespace bth::cache {

using model::JobId;
using model::TaskId;
using model::TaskStatus;

namespace {

// On a node, and without a place that counts any more.
constexpr uint32_t kEndedGroup = model::StatusBit(TaskStatus::kReleasing) |
                                 model::StatusBit(TaskStatus::kFailed) |
                                 model::StatusBit(TaskStatus::kUnknown);

}  // namespace

bool WasWhole(const model::Snapshot& now, const JobTable& jobs, const std::string& pod_group_key) {
  const JobId job = jobs.Find(pod_group_key);
  if (!job.valid() || !jobs.RecordOf(job).group) return false;
  const std::vector<TaskId>& tasks = jobs.RecordOf(job).tasks;
  int64_t last_made_us = 0;
  for (TaskId task : tasks) {
    const TaskStatus status = now.usage.tasks[task].status;
    if (status == TaskStatus::kPending || model::InGroup(status, kEndedGroup)) continue;
    last_made_us = std::max(last_made_us, now.tasks[task].names->created_us);
  }
  model::Usage usage = now.usage;
  for (TaskId task : tasks) {
    const model::TaskRow& row = now.tasks[task];
    const TaskStatus status = now.usage.tasks[task].status;
    if (!model::InGroup(status, kEndedGroup) || row.started_us == 0) continue;
    if (row.started_us < last_made_us) continue;
    usage.Relabel(row, status, TaskStatus::kSucceeded);
  }
  return algo::GangStands({now, usage, job});
}

std::optional<PlacedTimes> PlacedTimesOf(const model::Snapshot& now, const JobTable& jobs,
                                         const std::string& pod_group_key) {
  const JobId job = jobs.Find(pod_group_key);
  if (!job.valid()) return std::nullopt;
  std::optional<PlacedTimes> out;
  for (TaskId task : jobs.RecordOf(job).tasks) {
    const TaskStatus status = now.usage.tasks[task].status;
    if (status == TaskStatus::kPending || model::InGroup(status, kEndedGroup)) continue;
    const absl::Time made = absl::FromUnixMicros(now.tasks[task].names->created_us);
    if (!out) out = PlacedTimes{made, made};
    out->first = std::min(out->first, made);
    out->last = std::max(out->last, made);
  }
  return out;
}

bool HoldsPlaces(const model::Snapshot& now, const JobTable& jobs,
                 const std::string& pod_group_key) {
  const JobId job = jobs.Find(pod_group_key);
  return job.valid() && now.usage.jobs[job].ready() > 0;
}

std::optional<GangView> GangOf(const model::Snapshot& now, const JobTable& jobs,
                               const std::string& pod_group_key) {
  const JobId job = jobs.Find(pod_group_key);
  if (!job.valid() || !jobs.RecordOf(job).group) return std::nullopt;
  const model::JobRow& row = now.jobs[job];
  const model::JobCounts& counts = now.usage.jobs[job];
  return GangView{.uid = row.facts->uid,
                  .ready = counts.ready(),
                  .pending = counts.count(TaskStatus::kPending),
                  .min_available = row.min_available,
                  .whole = algo::GangStands({now, now.usage, job})};
}

std::vector<PlacedPod> PlacedPodsOf(const model::Snapshot& now, const JobTable& jobs,
                                    const std::string& pod_group_key) {
  std::vector<PlacedPod> placed;
  const JobId job = jobs.Find(pod_group_key);
  if (!job.valid()) return placed;
  for (TaskId task : jobs.RecordOf(job).tasks) {
    if (!model::InGroup(now.usage.tasks[task].status, model::kPreemptableGroup)) continue;
    const model::TaskNames& names = *now.tasks[task].names;
    placed.push_back({names.ns, names.name, names.uid});
  }
  std::sort(placed.begin(), placed.end(),
            [](const PlacedPod& a, const PlacedPod& b) { return a.name < b.name; });
  return placed;
}

std::vector<std::string> HalfBoundGroupsOf(const model::Snapshot& now, const JobTable& jobs) {
  std::vector<std::string> groups;
  for (const auto& [key, job] : jobs.ids()) {
    if (!jobs.Owns(job)) continue;
    const std::optional<GangView> gang = GangOf(now, jobs, key);
    if (gang ? gang->half_bound() : HoldsPlaces(now, jobs, key)) groups.push_back(key);
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

}  // namespace bth::cache
