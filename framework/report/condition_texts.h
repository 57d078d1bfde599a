// The wording of conditions and events: what people read of a job or a pod that waits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/ids.h"
#include "framework/report/fit_report.h"
#include "framework/session/session.h"

namespace bth::framework {

// What the words are about. The plan of a discarded statement, or what is so now.
const model::TaskState& OutcomeOf(const Session& session, model::TaskId task);
// What holds the job as a whole; null: nothing does. The queue's share is not it while there are
// tasks that no node could take: more share would not help them.
const JobFit* HoldOfJob(const Session& session, model::JobId job);
bool ReadyByCount(const Session& session, model::JobId job);

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

}  // namespace bth::framework
