// Which nodes a pod may go to by their labels and names, and which of them it likes.
#pragma once

#include <cstdint>

#include "api/model/constraints.h"
#include "api/model/node.h"

namespace bth::model {

// Pure matching. Costs are linear in the terms and logarithmic in the node's labels.
bool Matches(const NodeTerm& term, const NodeFacts& node);
// nodeSelector and required node affinity.
bool MatchesRequired(const PodConstraints& pod, const NodeFacts& node);
// Sum of the weights of the preferred terms that match.
int64_t PreferredWeight(const PodConstraints& pod, const NodeFacts& node);

}  // namespace bth::model
