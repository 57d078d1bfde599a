// Pods with volumes: where they are, and which of them wait.
#include <algorithm>

#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::TaskId;
using model::TaskState;

void Mirror::TrackVolumes(TaskId id, const TaskState& state, bool on) {
  const PodRecord& record = pod_records_[id];
  if (now_.constraints_of(record.shape).volumes == nullptr) return;
  if (state.status == model::TaskStatus::kPending && record.ours) {
    if (on) {
      waiting_with_volumes_.insert(id);
    } else {
      waiting_with_volumes_.erase(id);
    }
  }
  if (!state.node.valid() || !model::InGroup(state.status, model::kOnNodeGroup)) return;
  absl::flat_hash_set<TaskId>& there = node_records_[state.node].with_volumes;
  if (on) {
    there.insert(id);
  } else {
    there.erase(id);
  }
  std::shared_ptr<model::NodeMounts> mounts;
  if (!there.empty()) {
    mounts = std::make_shared<model::NodeMounts>();
    mounts->tasks.assign(there.begin(), there.end());
    std::sort(mounts->tasks.begin(), mounts->tasks.end());
    for (TaskId task : mounts->tasks) {
      const model::PodVolumes& volumes = *now_.constraints_of(pod_records_[task].shape).volumes;
      mounts->volumes += static_cast<int32_t>(volumes.claims.size() + volumes.disks.size());
    }
  }
  storage_.PutMounts(state.node, std::move(mounts));
}

const model::NodeFacts* Mirror::NodeNamed(const std::string& name) const {
  const auto known = nodes_.find(name);
  return known == nodes_.end() ? nullptr : now_.nodes[known->second].facts.get();
}

}  // namespace bth::cache
