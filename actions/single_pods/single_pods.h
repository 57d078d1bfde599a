// The policy of the agent scheduler: one action, and the plugins that judge single nodes.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/time/time.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

struct SinglePodOptions {
  // Decide side by side on one snapshot; 1: the scheduling thread alone.
  int workers = 1;
  // Rounds with fewer pods are decided by the scheduling thread alone: a worker's session costs
  // more than it saves.
  size_t share_min = 16;  // For each worker.
  // Told after each round, by whoever decided its share. Thread: any. May be empty.
  std::function<void(absl::Duration)> on_worker_cycle;
  // Choices of workers that others had overtaken when they were settled. May be empty.
  std::function<void(int64_t)> on_conflicts;
};

// Leaves of the registry what single pods have a use for: `allocate` places each pod for itself, in
// order of urgency, priority, creation and UID, and whatever is about gangs, queues and evictions
// is refused with that reason.
void KeepForSinglePods(framework::Registry& registry, const SinglePodOptions& options);

}  // namespace bth::actions
