#include "metrics/agent_metrics.h"

#include "tests/support/catch.h"

namespace bth::metrics {
namespace {

TEST_CASE("agent metrics: names and buckets are Volcano's, and zero is there from the start",
          "[metrics][agent]") {
  Registry registry;
  AgentMetrics metrics(registry);
  CHECK_THAT(registry.RenderText(), Catch::Contains("batholith_agent_conflicts_total 0"));
  metrics.WorkerCycle(absl::Milliseconds(7));
  metrics.SnapshotUpdated(absl::Seconds(80));
  metrics.Conflicts(3);
  const std::string text = registry.RenderText();
  for (const char* line : {
           "volcano_worker_scheduling_cycle_duration_milliseconds_bucket{le=\"5\"} 0",
           "volcano_worker_scheduling_cycle_duration_milliseconds_bucket{le=\"10\"} 1",
           "volcano_worker_scheduling_cycle_duration_milliseconds_sum 7",
           "volcano_update_snapshot_duration_milliseconds_bucket{le=\"40960\"} 0",
           "volcano_update_snapshot_duration_milliseconds_bucket{le=\"81920\"} 1",
           "batholith_agent_conflicts_total 3",
       }) {
    CHECK_THAT(text, Catch::Contains(line));
  }
}

}  // namespace
}  // namespace bth::metrics
