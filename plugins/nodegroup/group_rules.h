// What a queue's rules say of each node group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/model/node_group.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::plugins::nodegroup {

// One queue's own or inherited affinity.
struct GroupVerdict {
  bool allowed = false;
  double score = 0;
};

// `preferred_order`: an earlier preferred group scores higher.
GroupVerdict Judge(const model::NodeGroupRules& rules, const std::string& group,
                   bool preferred_order);

// The rules that hold for the queue: its own, or with `inherit` those of the nearest queue above it
// that has an affinity. Null: no affinity. A missing parent or a circle ends the search.
const model::NodeGroupRules* AffinityOf(const model::Snapshot& base, model::QueueId queue,
                                        bool inherit);

}  // namespace bth::plugins::nodegroup
