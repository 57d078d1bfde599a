// The state machine of a batch job. Pure functions, any thread.
#pragma once

#include <cstdint>

#include "api/types/batch_job.h"
#include "api/types/bus.h"

namespace bth::controllers {

inline constexpr int32_t kJobRetries = 3;  // The default of spec.maxRetry.

// How the phase follows from the counters, once an operation has counted the pods.
enum class Decision {
  kNone,
  kStart,     // Pending: Running when enough pods run or have ended.
  kProgress,  // Running: Completed, Failed or back to Pending.
  kRestart,   // Restarting: Failed when all retries are used up, Pending when enough pods are gone.
  kStop,      // `phase` when no pod is left to stop.
  kEnter,     // `phase` at once.
};

// What one action does in one phase.
struct JobStep {
  enum class Operation {
    kSync,        // Brings pod group and pods in line with the spec.
    kKillJob,     // Deletes the pods of the job.
    kKillTarget,  // Deletes the pods of one task, one pod, or the pods of one partition.
  };
  Operation operation = Operation::kSync;
  bool spare_finished = false;  // kKillJob: pods that succeeded or failed stay.
  Decision decision = Decision::kNone;
  types::JobPhase phase = types::JobPhase::kNone;  // Of kStop and kEnter.
  bool is_retry = false;                           // Raises status.retryCount.
  bool operator==(const JobStep&) const = default;
};

JobStep StepFor(types::JobPhase phase, types::BusAction action);

// Applies the step's decision; `status` holds the counters just computed. True when the step says
// that the phase changes (it may change to the same phase again).
bool Decide(const JobStep& step, const types::BatchJobSpec& spec, types::BatchJobStatus* status);

// The next whole-job kill is the last one: pods that have ended are kept, so that their logs can
// be read.
bool IsLastRetry(const types::BatchJobSpec& spec, const types::BatchJobStatus& status);

// In a job whose pods have all ended: the first task with fewer successes than its own minimum,
// which fails a job that needs the minimum of each of its tasks. Null: none.
const types::BatchTask* TaskThatFellShort(const types::BatchJobSpec& spec,
                                          const types::BatchJobStatus& status);

// Sums over the tasks; a negative number counts as zero.
int64_t TotalReplicas(const types::BatchJobSpec& spec);
int64_t TotalMinimum(const types::BatchJobSpec& spec);  // task.minAvailable, else its replicas
int32_t RetriesMax(const types::BatchJobSpec& spec);

}  // namespace bth::controllers
