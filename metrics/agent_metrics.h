// What the agent scheduler counts beside the metrics of every scheduler.
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "metrics/registry.h"

namespace bth::metrics {

// A small value of handles that live as long as the registry. Thread: any.
class AgentMetrics {
 public:
  explicit AgentMetrics(Registry& registry);

  // A worker decided its share of a snapshot.
  void WorkerCycle(absl::Duration took);
  void SnapshotUpdated(absl::Duration took);
  // Choices of workers that others had overtaken.
  void Conflicts(int64_t choices);

 private:
  Histogram worker_cycles_;
  Histogram snapshots_;
  Counter conflicts_;
};

}  // namespace bth::metrics
