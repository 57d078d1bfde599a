// What a session borrows for its life.
#pragma once

#include <memory>
#include <string>

#include "api/model/snapshot.h"
#include "base/clock.h"
#include "conf/policy.h"
#include "framework/report/reasons.h"
#include "framework/session/effects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::framework {

class ExtenderPort;
class TermCounters;
class StaticFitCache;
class UnschedulableJobs;
class VictimProspects;

struct SessionContext {
  std::shared_ptr<const model::Snapshot> snapshot;
  const conf::Policy* policy = nullptr;
  EffectSink* sink = nullptr;
  const Clock* clock = nullptr;
  StaticFitCache* static_fits = nullptr;         // Outlives sessions.
  TermCounters* term_counters = nullptr;         // Outlives sessions; null: it makes its own.
  VictimProspects* prospects = nullptr;          // Outlives sessions; null: it makes its own.
  ReasonTable* reasons = nullptr;                // Outlives sessions, so that ids stay.
  metrics::SchedulerMetrics* metrics = nullptr;  // May be null.
  ExtenderPort* extender = nullptr;              // May be null: the outside cannot be asked.
  std::string uid;                               // Stamped into conditions.
  // Feature SchedulingGatesQueueAdmission: gates of pods that their queue has room for go.
  bool lifts_queue_gates = false;
  // Feature StorageCapacityScoring: nodes are rated by how much room they have for volumes.
  bool scores_volumes = false;
  UnschedulableJobs* unschedulable = nullptr;  // Outlives sessions; null: every job is active.
};

}  // namespace bth::framework
