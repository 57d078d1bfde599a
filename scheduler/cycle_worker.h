// What lives on the scheduling thread: the policy in force and the cycle it ran last.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/rng.h"
#include "cache/writes/effect_queue.h"
#include "cache/writes/write_stops.h"
#include "framework/session/cycle.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/invariant_guard.h"

namespace bth::scheduler {

// A defect of ours that ended a cycle.
struct CycleDefect {
  std::string what;
  std::string where;
  std::string job;  // Key of its PodGroup; empty: it is not known which job it was.
  std::string job_uid;
};

struct CycleWorkerOptions {
  uint64_t seed = 1;
  int check_every = 1;  // Cycles.
  bool lifts_queue_gates = false;
  bool scores_volumes = false;
};

// What it stands on; all outlive it. `metrics` may be null.
struct CycleWorkerContext {
  const Clock& clock;
  metrics::SchedulerMetrics* metrics;
  framework::ExtenderPort& extender;
  cache::EffectQueue& sink;
};

// Runs cycles one after another. A defect ends its cycle, not the process: nothing of the cycle
// that was held back is written, and the policy is to be replaced before the next one. Thread:
// scheduling.
class CycleWorker {
 public:
  struct Result {
    absl::Status status;
    std::vector<InvariantRecord> violations;
    std::optional<CycleDefect> defect;
  };

  CycleWorker(CycleWorkerContext context, const CycleWorkerOptions& options);

  // Takes the place of the policy with the next cycle.
  void Install(std::unique_ptr<framework::PolicyInstance> policy) {
    next_policy_ = std::move(policy);
  }
  // `check`: even if it is not this cycle's turn. What is violated is stopped at once.
  Result Run(std::shared_ptr<const model::Snapshot> snapshot, cache::WriteStops stops, bool check);

  // The last one, closed; null: none, or it failed with a defect.
  const framework::Cycle* cycle() const { return cycle_.get(); }
  const framework::PolicyInstance& policy() const { return *policy_; }

 private:
  void TryRun(std::shared_ptr<const model::Snapshot> snapshot, cache::WriteStops stops, bool check,
              Result* result);
  std::vector<InvariantRecord> Check(cache::WriteStops stops);
  CycleDefect DefectOf(const std::exception& error) const;

  const CycleWorkerContext context_;
  Rng rng_;
  const int check_every_;
  const bool lifts_queue_gates_;
  const bool scores_volumes_;
  uint64_t count_ = 0;
  std::unique_ptr<framework::PolicyInstance> next_policy_;
  std::unique_ptr<framework::PolicyInstance> policy_;
  std::unique_ptr<framework::Cycle> cycle_;
};

}  // namespace bth::scheduler
