#include "controllers/job/pod_counts.h"

namespace bth::controllers {

void PodCounts::Add(std::string_view task, const types::Pod& pod) {
  // Both sides views: a string beside a literal would be a copy that is gone at once.
  const std::string_view given = pod.status.phase;
  const std::string_view phase = given.empty() ? std::string_view("Pending") : given;
  int32_t* counter = phase == "Pending"     ? &pending
                     : phase == "Running"   ? &running
                     : phase == "Succeeded" ? &succeeded
                     : phase == "Failed"    ? &failed
                                            : &unknown;
  ++*counter;
  ++tasks[task].phase[phase];
}

void PodCounts::Merge(const PodCounts& other) {
  pending += other.pending;
  running += other.running;
  succeeded += other.succeeded;
  failed += other.failed;
  terminating += other.terminating;
  unknown += other.unknown;
  for (const auto& [task, counts] : other.tasks) {
    for (const auto& [phase, count] : counts.phase) tasks[task].phase[phase] += count;
  }
}

void PodCounts::WriteTo(types::BatchJobStatus* status) const {
  status->pending = pending;
  status->running = running;
  status->succeeded = succeeded;
  status->failed = failed;
  status->terminating = terminating;
  status->unknown = unknown;
  status->task_status_count = tasks;
}

}  // namespace bth::controllers
