// Claims that hold at each session close; broken ones stop the writes concerned.
#pragma once

#include <string>
#include <vector>

#include "api/model/ids.h"
#include "framework/session.h"

namespace bth::framework {

struct Violation {
  std::string invariant;  // Metric label, such as "node_over_allocatable".
  std::string detail;     // One sentence with names and figures.
  model::NodeId node;     // Whose writes are to stop, where one node is concerned,
  model::QueueId queue;   // or one queue.
};

// Empty when all hold: no node we placed on is beyond its allocatable, sums equal what the task
// states add up to, no gang was committed in part, every eviction has a beneficiary that is
// placed. Cost: linear in tasks and nodes; production samples it.
std::vector<Violation> CheckInvariants(const Session& session);

}  // namespace bth::framework
