// Dense ids of one snapshot. An id means nothing in another snapshot unless the row it names is
// known not to have changed; what must survive is keyed by UID.
#pragma once

#include "base/ids.h"

namespace bth::model {

using NodeId = StrongId<struct NodeTag>;
using TaskId = StrongId<struct TaskTag>;
using JobId = StrongId<struct JobTag>;
using SubJobId = StrongId<struct SubJobTag>;
using RoleId = StrongId<struct RoleTag>;
using QueueId = StrongId<struct QueueTag>;
using BudgetId = StrongId<struct BudgetTag>;
using ShapeId = StrongId<struct ShapeTag>;
// Pods of one namespace with equal labels.
using LabelsId = StrongId<struct LabelsTag>;
// Pods with equal node selectors, affinity, tolerations, ports and images share constraints;
// shapes add the requests.
using ConstraintsId = StrongId<struct ConstraintsTag>;

// HyperNodes; the numbers are those of one tree.
using HyperNodeId = StrongId<struct HyperNodeTag>;

using NodeRange = IdRange<NodeId>;

}  // namespace bth::model
