// Which node a task is to get, found the slow way: the twin of framework::NodePicker.
#pragma once

#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::test {

// Asks every hook about every node, one at a time, and shares nothing with framework/nodes: the
// nominated node if it takes the task, else the best of those with room now, else the best of those
// that will have it, because resources are not free yet or a now-filter says so; of either, nodes
// of the shard before others, or alone. Without `check_resources`, as for tasks that ask for
// nothing, resources do not count, and no node is nominated or chosen for room that it will have.
framework::NodeChoice PickSlowly(const framework::Session& session, model::TaskId task,
                                 bool check_resources = true);

}  // namespace bth::test
