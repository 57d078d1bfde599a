// Pods and gangs to which something was refused: evictions by budgets, a gang's last bindings.
#include <algorithm>

#include "cache/mirror.h"

namespace bth::cache {

using model::TaskId;

namespace {

constexpr absl::Duration kFirstPause = absl::Seconds(10);
constexpr absl::Duration kLongestPause = absl::Minutes(5);

}  // namespace

absl::Duration Mirror::SparePod(const std::string& key, std::string_view uid) {
  const auto known = pods_.find(key);
  if (known == pods_.end() || pod_records_[known->second].pod.names.uid != uid) {
    return absl::ZeroDuration();
  }
  SparedPod& spared = spared_[key];
  if (spared.uid != uid) spared = {.uid = std::string(uid)};
  spared.pause = std::clamp(2 * spared.pause, kFirstPause, kLongestPause);
  spared.until = clock_->Now() + spared.pause;
  spared.over = false;
  if (now_.tasks[known->second].preemptable) ChangeRow(known->second).preemptable = false;
  changed_ = true;
  return spared.pause;
}

// Whose pause is over may be evicted again; how long it was is remembered for as long again.
void Mirror::EndSpares() {
  const absl::Time now = clock_->Now();
  for (auto it = spared_.begin(); it != spared_.end();) {
    const auto known = pods_.find(it->first);
    const bool there =
        known != pods_.end() && pod_records_[known->second].pod.names.uid == it->second.uid;
    if (there && !it->second.over && it->second.until <= now) {
      it->second.over = true;
      const bool preemptable = pod_records_[known->second].pod.preemptable;
      if (now_.tasks[known->second].preemptable != preemptable) {
        ChangeRow(known->second).preemptable = preemptable;
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

std::vector<std::string> Mirror::HalfBoundGroups() const {
  std::vector<std::string> keys;
  for (const auto& [key, job] : jobs_) {
    if (!Owns(job_records_[job])) continue;
    if (const std::optional<GangView> gang = Gang(key); gang && gang->half_bound()) {
      keys.push_back(key);
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace bth::cache
