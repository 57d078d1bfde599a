// What plugins know beforehand of their answers about victims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "api/model/ids.h"
#include "api/model/resource_vec.h"

namespace bth::framework {

// Who looks for victims, and where: preemption among other jobs of its queue, reclaim in other
// queues that are reclaimable; the kinds for gangs spare jobs that opt out, and preempt lower jobs.
enum class VictimKind : uint8_t { kPreempt, kReclaim, kGangPreempt, kGangReclaim };
inline constexpr size_t kVictimKinds = 4;

// In other queues than the seeker's.
constexpr bool IsReclaim(VictimKind kind) {
  return kind == VictimKind::kReclaim || kind == VictimKind::kGangReclaim;
}

// Pods of one queue, as far as a bound must know them.
struct QueueHolding {
  model::QueueId queue;
  model::DimMask asked = 0;  // Dimensions that each of them requests.
  // What the queue's waiting jobs may be given before anybody is evicted; zero: as things stand.
  model::ResourceVec more;
};

// Goes with a hook on victims. Each bound holds whoever asks and whoever else is a candidate, and
// says nothing of what the hook grants beyond it. Where one is false, the hook votes.
struct GrantBounds {
  // False: it grants no task of the job. Follows nothing but the rows and counts of the job, its
  // tasks, sub-jobs and roles. Null: unknown.
  std::function<bool(VictimKind, model::JobId)> job;
  // False: it grants none of these, whatever other queues do. Null: unknown.
  std::function<bool(VictimKind, const QueueHolding&)> queue;
  // It grants nobody but tasks of jobs with a lower priority than the evictor's, and of that job
  // itself tasks with a lower priority than the evictor.
  bool only_lower = false;
  // No bound: what it grants a task follows all that the evictor's job asks for, and not in one
  // direction. What it granted another task says nothing then, unless the jobs are alike.
  bool weighs_jobs = false;

  bool empty() const { return job == nullptr && queue == nullptr && !only_lower; }
};

}  // namespace bth::framework
