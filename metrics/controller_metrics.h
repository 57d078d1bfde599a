// Metrics of the controller manager, under the names Volcano gives them.
#pragma once

#include <array>
#include <string_view>

#include "absl/time/time.h"
#include "metrics/client_metrics.h"
#include "metrics/registry.h"

namespace bth::metrics {

// PodGroups of one queue by phase.
struct PodGroupCounts {
  int64_t inqueue = 0;
  int64_t pending = 0;
  int64_t running = 0;
  int64_t unknown = 0;
  int64_t completed = 0;
  bool operator==(const PodGroupCounts&) const = default;
};

// Lives as long as its registry. Thread: any. Cost: each call hashes its labels.
class ControllerMetrics {
 public:
  explicit ControllerMetrics(Registry& registry);

  ClientMetrics& client() { return client_; }

  // From the creation of a batch job to the creation of one of its pods.
  void PodCreated(absl::Duration since_job);
  void SetQueuePodGroups(std::string_view queue, const PodGroupCounts& counts);
  void RemoveQueue(std::string_view queue);

  void JobCompleted(std::string_view job_namespace, std::string_view job, std::string_view queue);
  void JobFailed(std::string_view job_namespace, std::string_view job, std::string_view queue);
  void RemoveJob(std::string_view job_namespace, std::string_view job, std::string_view queue);

  void JobFlowSucceeded(std::string_view jobflow_namespace);
  void JobFlowFailed(std::string_view jobflow_namespace);

 private:
  ClientMetrics client_;
  Histogram pod_creation_latency_;
  std::array<GaugeFamily, 5> queue_pod_groups_;
  CounterFamily job_completed_;
  CounterFamily job_failed_;
  CounterFamily jobflow_succeeded_;
  CounterFamily jobflow_failed_;
};

}  // namespace bth::metrics
