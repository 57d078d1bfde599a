// Pods and gangs to which something was refused: evictions by budgets, a gang's last bindings.
#include <algorithm>

#include "algo/gang_rules.h"
#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::TaskId;

namespace {

constexpr absl::Duration kFirstPause = absl::Seconds(10);
constexpr absl::Duration kLongestPause = absl::Minutes(5);

// On a node, and without a place that counts any more.
constexpr uint32_t kEndedGroup = model::StatusBit(model::TaskStatus::kReleasing) |
                                 model::StatusBit(model::TaskStatus::kFailed) |
                                 model::StatusBit(model::TaskStatus::kUnknown);

// With those of its pods that ended after all that are bound now had been made. Cost: linear in
// the tasks.
bool WasWhole(const model::Snapshot& now, model::JobId job, const std::vector<TaskId>& tasks) {
  int64_t last_made_us = 0;
  for (TaskId task : tasks) {
    const model::TaskStatus status = now.usage.tasks[task].status;
    if (status == model::TaskStatus::kPending || model::InGroup(status, kEndedGroup)) continue;
    last_made_us = std::max(last_made_us, now.tasks[task].names->created_us);
  }
  model::Usage usage = now.usage;
  for (TaskId task : tasks) {
    const model::TaskRow& row = now.tasks[task];
    const model::TaskStatus status = now.usage.tasks[task].status;
    if (!model::InGroup(status, kEndedGroup) || row.started_us == 0) continue;
    if (row.started_us < last_made_us) continue;
    usage.Relabel(row, status, model::TaskStatus::kSucceeded);
  }
  return algo::GangStands({now, usage, job});
}

}  // namespace

absl::Duration Mirror::SparePod(const std::string& key, std::string_view uid) {
  const TaskId id = Find(key, uid);
  if (!id.valid()) return absl::ZeroDuration();
  SparedPod& spared = spared_[key];
  if (spared.uid != uid) spared = {.uid = std::string(uid)};
  spared.pause = std::clamp(2 * spared.pause, kFirstPause, kLongestPause);
  spared.until = clock_->Now() + spared.pause;
  spared.over = false;
  if (now_.tasks[id].preemptable) ChangeRow(id).preemptable = false;
  changed_ = true;
  return spared.pause;
}

// Whose pause is over may be evicted again; how long it was is remembered for as long again.
void Mirror::EndSpares() {
  const absl::Time now = clock_->Now();
  for (auto it = spared_.begin(); it != spared_.end();) {
    const TaskId id = Find(it->first, it->second.uid);
    const bool there = id.valid();
    if (there && !it->second.over && it->second.until <= now) {
      it->second.over = true;
      const bool preemptable = pod_records_[id].preemptable;
      if (now_.tasks[id].preemptable != preemptable) {
        ChangeRow(id).preemptable = preemptable;
        changed_ = true;
      }
    }
    if (!there || it->second.until + it->second.pause <= now) {
      spared_.erase(it++);
    } else {
      ++it;
    }
  }
}

std::vector<PlacedPod> Mirror::PlacedPods(const std::string& pod_group_key) const {
  std::vector<PlacedPod> placed;
  const auto known = jobs_.find(pod_group_key);
  if (known == jobs_.end()) return placed;
  for (TaskId task : job_records_[known->second].tasks) {
    if (!model::InGroup(now_.usage.tasks[task].status, model::kPreemptableGroup)) continue;
    const model::TaskNames& names = *now_.tasks[task].names;
    placed.push_back({names.ns, names.name, names.uid});
  }
  std::sort(placed.begin(), placed.end(),
            [](const PlacedPod& a, const PlacedPod& b) { return a.name < b.name; });
  return placed;
}

std::vector<HalfBoundGroup> Mirror::HalfBoundGroups() const {
  std::vector<HalfBoundGroup> groups;
  for (const auto& [key, job] : jobs_) {
    if (!Owns(job_records_[job])) continue;
    if (const std::optional<GangView> gang = Gang(key); gang && gang->half_bound()) {
      groups.push_back({key, WasWhole(now_, job, job_records_[job].tasks)});
    }
  }
  std::sort(groups.begin(), groups.end(),
            [](const HalfBoundGroup& a, const HalfBoundGroup& b) { return a.key < b.key; });
  return groups;
}

}  // namespace bth::cache
