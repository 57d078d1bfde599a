// Whose writes are stopped, because a claim about their sums did not hold.
#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "api/model/snapshot.h"
#include "framework/session/effects.h"
#include "framework/session/session.h"

namespace bth::cache {

// By name, so that it holds from snapshot to snapshot; values name the invariant. A value type.
struct WriteStops {
  std::string everything;  // Invariant about the whole cluster; empty: none.
  std::map<std::string, std::string> nodes;
  std::map<std::string, std::string> queues;

  bool empty() const { return everything.empty() && nodes.empty() && queues.empty(); }
  // kFailedPrecondition names the stop that forbids it; OK when none does.
  absl::Status Check(const framework::EffectBatch& batch) const;
  // The session is kept from deciding what could not be written: no task goes to a node, and none
  // of a queue's goes anywhere, while its writes are stopped. Called before the session opens.
  void KeepOff(framework::Session& session) const;
  bool StopsQueue(const model::Snapshot& snapshot, model::QueueId queue) const;
};

}  // namespace bth::cache
