// In which order the pending tasks of a job are placed.
#pragma once

#include <functional>

#include "api/model/ids.h"
#include "base/heap.h"
#include "framework/session/session.h"

namespace bth::actions {

using TaskLess = std::function<bool(model::TaskId, model::TaskId)>;
using TaskHeap = Heap<model::TaskId, TaskLess>;

// As the plugins order tasks. While roles lack tasks for minimums that bind, those that they lack,
// the first of each role, come before all others of the job: what is beyond a minimum would take
// the room without which the gang cannot start. Counts as they are now; `session` outlives it.
// Cost: linear in the job's roles; where some lack tasks and others have more than they need, its
// pending tasks are sorted.
TaskLess TaskOrder(const framework::Session& session, model::JobId job);

}  // namespace bth::actions
