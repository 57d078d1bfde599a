// The tasks of a job that an action still has to place, by sub-job.
#pragma once

#include <functional>
#include <vector>

#include "api/model/ids.h"
#include "framework/heap.h"
#include "framework/session.h"

namespace bth::actions {

using TaskLess = std::function<bool(model::TaskId, model::TaskId)>;
using TaskHeap = framework::Heap<model::TaskId, TaskLess>;

struct SubJobSheet {
  model::SubJobId sub_job;
  bool required = false;  // Its group lacks ready sub-jobs.
  TaskHeap tasks;
};

// Sub-jobs that their group's minimum needs come first, then by sub-job order.
struct Worksheet {
  std::vector<SubJobSheet> sub_jobs;
  bool empty() const;
};

// Pending tasks that ask for something and are not gated (Volcano's own gate does not count here:
// the gate is taken off while allocating).
Worksheet MakeWorksheet(const framework::Session& session, model::JobId job);

}  // namespace bth::actions
