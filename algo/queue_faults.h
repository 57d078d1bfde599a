// Parents of queues that lead nowhere, for policies that do not look at the tree.
#pragma once

#include <vector>

#include "algo/queue_quotas.h"

namespace bth::algo {

// In order of the queues' names. FindTreeFaults tells more, in the words of those who look at the
// tree.
std::vector<QueueFinding> FindParentFaults(const model::Snapshot& base, const QueueTree& tree);

}  // namespace bth::algo
