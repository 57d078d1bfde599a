#include "cache/cluster/mount_book.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/model/pod_extras.h"

namespace bth::cache {

using model::TaskId;

void MountBook::Track(TaskId id, const model::TaskState& state, bool ours, bool on,
                      const model::Snapshot& now) {
  const model::PodConstraints& pod = now.constraints_of(now.tasks[id].shape);
  const bool extended = pod.extras != nullptr && !pod.extras->requests.empty();
  if (pod.volumes == nullptr && !pod.claims_devices && !extended) return;
  if (state.status == model::TaskStatus::kPending && ours) {
    if (on) {
      waiting_.insert(id);
    } else {
      waiting_.erase(id);
    }
  }
  if (pod.volumes == nullptr) return;
  if (!state.node.valid() || !model::InGroup(state.status, model::kOnNodeGroup)) return;
  on_node_.EnsureContains(state.node);
  absl::flat_hash_set<TaskId>& there = on_node_[state.node];
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
      const model::PodVolumes& volumes = *now.constraints_of(now.tasks[task].shape).volumes;
      mounts->volumes += static_cast<int32_t>(volumes.claims.size() + volumes.disks.size());
    }
  }
  storage_.PutMounts(state.node, std::move(mounts));
}

}  // namespace bth::cache
