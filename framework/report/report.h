// What a closed session reports: statuses of jobs, pods and queues, and which gate holds a job. The
// wording is that of condition_texts.h.
#pragma once

#include "api/model/ids.h"
#include "framework/report/fit_report.h"
#include "framework/report/queue_use.h"
#include "framework/session/effects.h"
#include "framework/session/session.h"

namespace bth::framework {

// Says of each job whose queue does not exist that this is why its pods wait, or why it is not in
// line. Plugins and actions leave such jobs alone; of those with nothing waiting only counts and
// phase are told.
void HoldJobsWithoutQueue(Session& session);
// Says on jobs that ask for a network topology that no plugin of the policy looks at it.
void TellIgnoredTopologies(Session& session);

// Statuses of every active or touched job, of their pods that are not placed, and of queues; of
// jobs that are kept out of cycles the counts of their pods.
CycleReport MakeReport(const Session& session, QueueUse& queue_use);

// What the PodGroup's phase is after the session, whether a report tells it anew or not.
model::PodGroupPhase PhaseOf(const Session& session, model::JobId job);

// The gate that holds the job, with the fits of its tasks; Gate::kNone when nothing does.
JobFit ExplainJob(const Session& session, model::JobId job);
// The gate alone. Cost: linear in the tasks of a job that waits.
Gate GateOf(const Session& session, model::JobId job);

}  // namespace bth::framework
