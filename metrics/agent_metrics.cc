#include "metrics/agent_metrics.h"

namespace bth::metrics {
namespace {

Buckets AgentBuckets() {
  return ExponentialBuckets(5, 2, 15);
}

}  // namespace

AgentMetrics::AgentMetrics(Registry& registry)
    : worker_cycles_(registry
                         .AddHistogram("volcano_worker_scheduling_cycle_duration_milliseconds",
                                       "Time in which a worker decided its pods of one snapshot.",
                                       AgentBuckets())
                         .With()),
      snapshots_(registry
                     .AddHistogram("volcano_update_snapshot_duration_milliseconds",
                                   "Time in which a snapshot was brought up to date.",
                                   AgentBuckets())
                     .With()),
      conflicts_(registry
                     .AddCounter("batholith_agent_conflicts_total",
                                 "Choices of workers that were decided anew, because others had "
                                 "taken the room meanwhile.")
                     .With()) {}

void AgentMetrics::WorkerCycle(absl::Duration took) {
  worker_cycles_.Observe(ToMilliseconds(took));
}

void AgentMetrics::SnapshotUpdated(absl::Duration took) {
  snapshots_.Observe(ToMilliseconds(took));
}

void AgentMetrics::Conflicts(int64_t choices) {
  conflicts_.Increment(static_cast<double>(choices));
}

}  // namespace bth::metrics
