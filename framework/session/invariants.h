// Claims that hold at each session close; broken ones stop the writes concerned.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "framework/session/effects.h"
#include "framework/session/session.h"

namespace bth::framework {

// Neither node nor queue: the claim is about the whole cluster.
struct Violation {
  std::string invariant;  // Metric label, such as "node_over_allocatable".
  std::string detail;     // One sentence with names and figures.
  model::NodeId node;     // Whose writes are to stop, where one node is concerned,
  model::QueueId queue;   // or one queue.
};

// Empty when all hold: no node we placed on is beyond its allocatable; every sum over tasks, of
// nodes, jobs, sub-jobs and roles, is what counting the tasks anew gives, and every sum over nodes
// that is kept of HyperNodes is that of their nodes; no gang was committed in part. At most
// kViolationsMax are told. Cost: linear in tasks, and in nodes times the depth of HyperNodes;
// production samples it.
inline constexpr size_t kViolationsMax = 100;
std::vector<Violation> CheckInvariants(const Session& session);

// The same for what the session wants done: each task is bound once, where the session has it and
// the shard lets it be, each eviction for somebody's sake names whom it is for, and no gang is
// bound beyond its bound on the network. Cost: linear in the effects, and in the tasks of such
// gangs.
std::vector<Violation> CheckEffects(const Session& session, absl::Span<const EffectBatch> batches);

// The same for what is told about queues: a queue's total is what its tasks use and what its
// children show. Cost: linear in tasks and queues.
std::vector<Violation> CheckReport(const Session& session, const CycleReport& report);

// All of them; `report` is null when nothing is told.
std::vector<Violation> CheckCycle(const Session& session, absl::Span<const EffectBatch> batches,
                                  const CycleReport* report);

}  // namespace bth::framework
