// What is surely not meant in the queues' quotas and parents.
#pragma once

#include <string>
#include <vector>

#include "algo/queue_tree.h"
#include "api/model/snapshot.h"

namespace bth::algo {

// Something about a queue that is surely not meant, and how to mend it.
struct QueueFinding {
  model::QueueId queue;
  std::string reason;  // One word, for events.
  std::string message;
  friend bool operator==(const QueueFinding&, const QueueFinding&) = default;
};
// All in order of the queues' names. What a queue says by itself;
std::vector<QueueFinding> FindAmountFaults(const model::Snapshot& base);
// what it says about its place and its children, for those who look at the tree;
std::vector<QueueFinding> FindTreeFaults(const model::Snapshot& base, const QueueTree& tree);
// and of parents that lead nowhere, for those who do not.
std::vector<QueueFinding> FindParentFaults(const model::Snapshot& base, const QueueTree& tree);

}  // namespace bth::algo
