#include "metrics/controller_metrics.h"

#include <string>

namespace bth::metrics {
namespace {

LabelSet JobLabels(std::string_view job_namespace, std::string_view job, std::string_view queue) {
  return {{"job_name", std::string(job_namespace) + "/" + std::string(job)},
          {"queue_name", std::string(queue)}};
}

GaugeFamily AddPhase(Registry& registry, const std::string& phase) {
  return registry.AddGauge("volcano_queue_pod_group_" + phase + "_count",
                           "PodGroups of the queue in phase " + phase + ".");
}

}  // namespace

ControllerMetrics::ControllerMetrics(Registry& registry)
    : client_(registry),
      pod_creation_latency_(
          registry
              .AddHistogram("volcano_controller_job_to_pod_creation_latency_milliseconds",
                            "From the creation of a job to the creation of its pods.",
                            GeometricBuckets(50, 60000, 30))
              .With()),
      queue_pod_groups_{AddPhase(registry, "inqueue"), AddPhase(registry, "pending"),
                        AddPhase(registry, "running"), AddPhase(registry, "unknown"),
                        AddPhase(registry, "completed")},
      job_completed_(registry.AddCounter("volcano_job_completed_phase_count",
                                         "Times a job reached phase Completed.")),
      job_failed_(registry.AddCounter("volcano_job_failed_phase_count",
                                      "Times a job reached phase Failed.")),
      jobflow_succeeded_(registry.AddCounter("volcano_jobflow_succeed_phase_count",
                                             "Times a job flow reached phase Succeed.")),
      jobflow_failed_(registry.AddCounter("volcano_jobflow_failed_phase_count",
                                          "Times a job flow reached phase Failed.")) {}

void ControllerMetrics::PodCreated(absl::Duration since_job) {
  pod_creation_latency_.Observe(ToMilliseconds(since_job));
}

void ControllerMetrics::SetQueuePodGroups(std::string_view queue, const PodGroupCounts& counts) {
  const LabelSet labels = {{"queue_name", std::string(queue)}};
  const std::array<int64_t, 5> by_phase = {counts.inqueue, counts.pending, counts.running,
                                           counts.unknown, counts.completed};
  for (size_t i = 0; i < by_phase.size(); ++i) {
    queue_pod_groups_[i].With(labels).Set(static_cast<double>(by_phase[i]));
  }
}

void ControllerMetrics::RemoveQueue(std::string_view queue) {
  for (const GaugeFamily& family : queue_pod_groups_) {
    family.Remove({{"queue_name", std::string(queue)}});
  }
}

void ControllerMetrics::JobCompleted(std::string_view job_namespace, std::string_view job,
                                     std::string_view queue) {
  job_completed_.With(JobLabels(job_namespace, job, queue)).Increment();
}

void ControllerMetrics::JobFailed(std::string_view job_namespace, std::string_view job,
                                  std::string_view queue) {
  job_failed_.With(JobLabels(job_namespace, job, queue)).Increment();
}

void ControllerMetrics::RemoveJob(std::string_view job_namespace, std::string_view job,
                                  std::string_view queue) {
  job_completed_.Remove(JobLabels(job_namespace, job, queue));
  job_failed_.Remove(JobLabels(job_namespace, job, queue));
}

void ControllerMetrics::JobFlowSucceeded(std::string_view jobflow_namespace) {
  jobflow_succeeded_.With({{"jobflow_namespace", std::string(jobflow_namespace)}}).Increment();
}

void ControllerMetrics::JobFlowFailed(std::string_view jobflow_namespace) {
  jobflow_failed_.With({{"jobflow_namespace", std::string(jobflow_namespace)}}).Increment();
}

}  // namespace bth::metrics
