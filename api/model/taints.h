// Which taints of a node a pod tolerates. Costs are linear in taints times tolerations.
#pragma once

#include "api/model/constraints.h"
#include "api/model/node.h"

namespace bth::model {

bool Tolerates(const Toleration& toleration, const Taint& taint);
// The first NoSchedule or NoExecute taint that nothing tolerates, or null.
const Taint* FirstUntolerated(const PodConstraints& pod, const NodeFacts& node);
// Number of PreferNoSchedule taints that nothing tolerates.
int CountUntoleratedPreferences(const PodConstraints& pod, const NodeFacts& node);

}  // namespace bth::model
