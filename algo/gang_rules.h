// When a gang is whole: pure counting over one job's columns.
#pragma once

#include <cstdint>

#include "api/model/snapshot.h"
#include "api/model/usage.h"

namespace bth::algo {

// What the job and role checks read: the rows of the snapshot and the present counts.
struct JobView {
  const model::Snapshot& base;
  const model::Usage& usage;
  model::JobId id;

  const model::JobRow& row() const { return base.jobs[id]; }
  const model::JobCounts& counts() const { return usage.jobs[id]; }
};

// True for jobs that sessions decide about: those with a PodGroup and a queue.
inline bool TakesPart(const model::JobRow& job) {
  return job.facts != nullptr && job.has_pod_group && job.queue.valid();
}

// The statuses of tasks that have a place or have done their work there.
inline constexpr uint32_t kReadyGroup =
    model::kAllocatedGroup | model::StatusBit(model::TaskStatus::kSucceeded);

// Tasks that count for the minimum or still may: allocated, succeeded, pipelined and pending.
int32_t ValidTasks(const model::JobCounts& counts);

// Only tasks that have a place count, whatever they ask for; for pipelined, those that are
// pipelined do, too.
bool IsReady(int32_t min_available, const model::JobCounts& counts);
bool IsPipelined(int32_t min_available, const model::JobCounts& counts);
bool IsStarving(int32_t min_available, const model::JobCounts& counts);
// As IsReady, with pending tasks that ask for nothing on top. Only orders are asked this way.
bool LooksReady(int32_t min_available, const model::JobCounts& counts);
bool LooksReady(const model::SubJobRow& row, const model::SubJobCounts& counts);

bool IsReady(const model::SubJobRow& row, const model::SubJobCounts& counts);
bool IsPipelined(const model::SubJobRow& row, const model::SubJobCounts& counts);

// Minimums per role. They bind only when the job's own minimum is at least their sum.
// Cost: linear in the job's roles.
bool RolesValid(const JobView& job);
bool RolesReady(const JobView& job);
bool RolesPipelined(const JobView& job);

// Minimum numbers of sub-jobs per group. Cost: linear in the sub-jobs, nothing without minimums.
bool SubJobsValid(const JobView& job);
bool SubJobsReady(const JobView& job);
bool SubJobsPipelined(const JobView& job);

// True when enough tasks of the job have a place, or did their work there: in all, by role and by
// group of sub-jobs. Never of a job without any. What its PodGroup's phase says does not matter.
// Cost: linear in roles and sub-jobs with minimums.
bool GangStands(const JobView& job);

// Phase of a PodGroup from its counts (framework specification §13.5). `unschedulable_now`: this
// session set the Unschedulable condition.
model::PodGroupPhase DerivePhase(const model::JobCounts& counts, int32_t min_member,
                                 bool unschedulable_now);

// True when nothing of the job waits to be placed and the pods that are running or leaving make
// up the minimum: its controller is about to replace the leaving ones, so that calling the job
// unschedulable would be wrong.
bool WaitsForReplacements(int32_t min_available, const model::JobCounts& counts);

}  // namespace bth::algo
