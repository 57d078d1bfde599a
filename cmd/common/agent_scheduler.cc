#include "cmd/common/agent_scheduler.h"

#include "actions/single_pods/single_pods.h"
#include "metrics/agent_metrics.h"

namespace bth::cmd {

void ServeSinglePods(int workers, metrics::Registry& metrics, framework::Registry* registry,
                     scheduler::SchedulerOptions* options) {
  metrics::AgentMetrics counts(metrics);
  actions::SinglePodOptions singles;
  singles.workers = workers;
  singles.on_worker_cycle = [counts](absl::Duration took) mutable { counts.WorkerCycle(took); };
  singles.on_conflicts = [counts](int64_t choices) mutable { counts.Conflicts(choices); };
  actions::KeepForSinglePods(*registry, singles);
  options->single_pods = true;
  options->policy.agent = true;
  options->on_snapshot = [counts](absl::Duration took) mutable { counts.SnapshotUpdated(took); };
  // No pod waits for the neighbours that may follow it: those that come while a cycle runs are the
  // next one's. Under a storm of changes cycles take half a core.
  options->pace = {.debounce = absl::ZeroDuration(),
                   .pause_factor = 1,
                   .pause_max = absl::Milliseconds(20),
                   .reserve = absl::Milliseconds(20)};
}

}  // namespace bth::cmd
