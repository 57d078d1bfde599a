// Constraints and facts of nodes out of words; a part of the cluster builder.
#pragma once

#include "api/model/constraints.h"
#include "api/model/node.h"
#include "base/interner.h"
#include "tests/support/cluster_text.h"

namespace bth::test {

// The words of a task that make up its constraints, as one string: equal strings, equal
// constraints.
std::string ConstraintWords(const Statement& task);
model::PodConstraints ReadConstraints(const Statement& task, Interner& symbols);

// Labels, taints, images and whether it is cordoned; names and amounts are the caller's.
void ReadNodeFacts(const Statement& node, Interner& symbols, model::NodeFacts* facts);
model::HostPort ReadPort(std::string_view text);

}  // namespace bth::test
