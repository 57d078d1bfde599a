// The tree of queues and what cannot have been meant. Pure function.
#pragma once

#include <map>
#include <string>

#include "api/types/quantity.h"
#include "cli/doctor/points.h"

namespace bth::cli {

using Amounts = std::map<std::string, types::Quantity>;

// `allocatable`: of all nodes together; empty where nobody knows.
void CheckQueues(const ObjectsRead& queues, const ObjectsRead& pod_groups,
                 const Amounts& allocatable, std::vector<Point>* points);

// Classes that PodGroups name and that do not exist.
void CheckPriorityClasses(const ObjectsRead& classes, const ObjectsRead& pod_groups,
                          std::vector<Point>* points);

// A member of an object that is a list of resources; what is no quantity is left out.
Amounts AmountsIn(const types::Json& list);
// Adds resource by resource; sums that cannot be held stay as they are.
void AddAmounts(const Amounts& more, Amounts* sum);

}  // namespace bth::cli
