#include <sstream>

#include "metrics/client_metrics.h"
#include "metrics/controller_metrics.h"
#include "tests/support/catch.h"

namespace bth::metrics {
namespace {

// The samples whose names begin with `prefix`, without comments and buckets.
std::string SampleLines(const Registry& registry, const std::string& prefix) {
  std::string out;
  std::istringstream lines(registry.RenderText());
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(prefix, 0) == 0 && line.find("_bucket{") == std::string::npos)
      out += line + "\n";
  }
  return out;
}

TEST_CASE("client metrics: requests by code, method and host", "[metrics]") {
  Registry registry("/nonexistent");
  ClientMetrics metrics(registry);
  metrics.RestRequest(200, "GET", "api:443");
  metrics.RestRequest(200, "GET", "api:443");
  metrics.RestRequest(0, "POST", "api:443");
  metrics.InformerRelisted("pods");
  metrics.WatchRestarted("nodes");
  metrics.MalformedObject("queues");
  CHECK(SampleLines(registry, "rest_client") ==
        "rest_client_requests_total{code=\"200\",host=\"api:443\",method=\"GET\"} 2\n"
        "rest_client_requests_total{code=\"<error>\",host=\"api:443\",method=\"POST\"} 1\n");
  CHECK(SampleLines(registry, "batholith_") ==
        "batholith_informer_relists_total{resource=\"pods\"} 1\n"
        "batholith_malformed_objects_total{resource=\"queues\"} 1\n"
        "batholith_watch_restarts_total{resource=\"nodes\"} 1\n");
}

TEST_CASE("client metrics: of what is watched there are zeros", "[metrics]") {
  Registry registry("/nonexistent");
  ClientMetrics metrics(registry);
  metrics.Publish("pods");
  metrics.Publish("pods");
  metrics.InformerRelisted("pods");
  CHECK(SampleLines(registry, "batholith_") ==
        "batholith_informer_relists_total{resource=\"pods\"} 1\n"
        "batholith_malformed_objects_total{resource=\"pods\"} 0\n"
        "batholith_watch_restarts_total{resource=\"pods\"} 0\n");
}

TEST_CASE("client metrics: label values have a limit", "[metrics]") {
  Registry registry("/nonexistent");
  ClientMetrics metrics(registry);
  for (size_t i = 0; i < ClientMetrics::kSeriesMax + 2; ++i) {
    metrics.RestRequest(200, "GET", "host" + std::to_string(i));
    metrics.InformerRelisted("r" + std::to_string(i));
  }
  CHECK(SampleLines(registry, "rest_client")
            .find("{code=\"200\",host=\"other\",method=\"GET\"} 2\n") != std::string::npos);
  CHECK(SampleLines(registry, "batholith_informer").find("{resource=\"other\"} 2\n") !=
        std::string::npos);
}

TEST_CASE("controller metrics: phases of a queue go with it", "[metrics]") {
  Registry registry("/nonexistent");
  ControllerMetrics metrics(registry);
  metrics.PodCreated(absl::Milliseconds(60));
  metrics.SetQueuePodGroups("q", {1, 2, 3, 4, 5});
  CHECK(SampleLines(registry, "volcano_") ==
        "volcano_controller_job_to_pod_creation_latency_milliseconds_count 1\n"
        "volcano_controller_job_to_pod_creation_latency_milliseconds_sum 60\n"
        "volcano_queue_pod_group_completed_count{queue_name=\"q\"} 5\n"
        "volcano_queue_pod_group_inqueue_count{queue_name=\"q\"} 1\n"
        "volcano_queue_pod_group_pending_count{queue_name=\"q\"} 2\n"
        "volcano_queue_pod_group_running_count{queue_name=\"q\"} 3\n"
        "volcano_queue_pod_group_unknown_count{queue_name=\"q\"} 4\n");
  metrics.RemoveQueue("q");
  CHECK(SampleLines(registry, "volcano_queue").empty());
}

TEST_CASE("controller metrics: counters of a job go with it", "[metrics]") {
  Registry registry("/nonexistent");
  ControllerMetrics metrics(registry);
  metrics.JobCompleted("ns", "j", "q");
  metrics.JobFailed("ns", "j", "q");
  metrics.JobFlowSucceeded("ns");
  metrics.JobFlowFailed("ns");
  CHECK(SampleLines(registry, "volcano_job_") ==
        "volcano_job_completed_phase_count{job_name=\"ns/j\",queue_name=\"q\"} 1\n"
        "volcano_job_failed_phase_count{job_name=\"ns/j\",queue_name=\"q\"} 1\n");
  CHECK(SampleLines(registry, "volcano_jobflow_") ==
        "volcano_jobflow_failed_phase_count{jobflow_namespace=\"ns\"} 1\n"
        "volcano_jobflow_succeed_phase_count{jobflow_namespace=\"ns\"} 1\n");
  metrics.RemoveJob("ns", "j", "q");
  CHECK(SampleLines(registry, "volcano_job_").empty());
}

}  // namespace
}  // namespace bth::metrics
