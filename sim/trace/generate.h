// Made-up workloads with the shape of real ones.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "sim/trace/job_trace.h"

namespace bth::trace {

struct GenerateOptions {
  uint64_t seed = 1;
  int64_t jobs = 10'000;
  double days = 7;
  int64_t cpus = 64'000;    // Of the cluster that the load is meant for.
  double load = 0.7;        // Share of those that the jobs would use, were they to run at once.
  int64_t size_max = 1024;  // Processors of the largest job.
  int64_t task_cpus = 16;   // A task has at most so many.
  double gpu_share = 0;     // Of the jobs: one GPU for each task.
  double urgent_share = 0;  // Of the jobs: priority 1000.
  int64_t queues = 4;
  int64_t users = 64;
};

// After Lublin and Feitelson, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs" (2003): a quarter of the jobs serial, most others powers of two;
// run times hyper-gamma in their logarithm, longer for larger jobs; more jobs by day than by night,
// fewer at weekends. Users by Zipf's law, each in one queue. Times are scaled to the load, and no
// job takes more than three days. The same options make the same trace.
absl::StatusOr<Trace> GenerateTrace(const GenerateOptions& options);

}  // namespace bth::trace
