// What a closed session says to people: phases, conditions, events and messages.
#pragma once

#include <string>
#include <vector>

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

// "2 Pending", "4 Running": statuses that tasks have, in the order of TaskStatus.
std::vector<std::string> CountsByStatus(const model::JobCounts& counts);

// "pod group is not ready, 6 Pending, 6 minAvailable; Pending: 3 Schedulable, … . Origin reason
// is task-6: 0/3 nodes are unavailable: …".
std::string JobMessage(const Session& session, model::JobId job);

// Tasks that the job's gang needs beside those that are placed, and those that the last try would
// have placed had the whole gang fitted. Not positive: none.
int32_t TasksMissing(const Session& session, model::JobId job);
// "3/6 tasks in gang unschedulable: " and JobMessage, alike in condition and event. Of tasks
// that the job does not have yet only the message speaks.
std::string GangMessage(const Session& session, model::JobId job, const std::string& job_message);

// Reason and message of the PodScheduled condition of a task that is not bound. An empty message
// means: the job's message.
struct TaskWord {
  std::string_view reason;
  std::string message;
  model::NodeId nominated_node;
};
TaskWord DescribeTask(const Session& session, model::TaskId task);

// The gate that holds the job, with the fits of its tasks; Gate::kNone when nothing does.
JobFit ExplainJob(const Session& session, model::JobId job);
// The gate alone. Cost: linear in the tasks of a job that waits.
Gate GateOf(const Session& session, model::JobId job);

}  // namespace bth::framework
