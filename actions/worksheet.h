// The tasks of a job that an action still has to place, by sub-job.
#pragma once

#include <vector>

#include "actions/task_order.h"
#include "api/model/ids.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"

namespace bth::actions {

struct SubJobWorksheet {
  model::SubJobId sub_job;
  bool required = false;  // Its group lacks ready sub-jobs.
  TaskHeap tasks;         // That ask for something.
  TaskHeap best_effort;   // That ask for nothing but a place.
};

// Sub-jobs that their group's minimum needs come first, then by sub-job order, as things stand.
bool ComesBefore(const framework::Session& session, const SubJobWorksheet& a,
                 const SubJobWorksheet& b);

// In that order, as it was when the worksheet was made.
struct Worksheet {
  std::vector<SubJobWorksheet> sub_jobs;

  // Whether there is a task that asks for something.
  bool HasTasks() const;
};

// Pending tasks that are not gated (for tasks that ask for something Volcano's own gate does not
// count: it is taken off while allocating). Cost: linear in the job's tasks, beside the heaps.
Worksheet MakeWorksheet(const framework::Session& session, model::JobId job);

// Gives a task that asks for nothing a place, or pipelines it where the slot is that of a pod
// that this cycle evicts. Without a node for it nothing happens; why is recorded in the session.
void PlaceBestEffort(framework::Session& session, model::TaskId task,
                     framework::Statement& statement);

}  // namespace bth::actions
