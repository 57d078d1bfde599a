// Which tasks stand on which node, for a run of an evicting action.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "base/ids.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// Tasks that could be evicted when the action began: bound or running, not protected by their own
// annotation, of a job that takes part. Made once per run, only when some job starves: the snapshot
// keeps no such lists, because few cycles need them. Cost: linear in the tasks of the cluster.
// Thread: scheduling.
class NodeTasks {
 public:
  explicit NodeTasks(const framework::Session& session);

  // The older jobs first, and of each the older tasks: an order that does not come from ids. Those
  // evicted since are still in it.
  absl::Span<const model::TaskId> On(model::NodeId node) const {
    return {tasks_.data() + first_task_[node.index()],
            first_task_[node.index() + 1] - first_task_[node.index()]};
  }

  // What all of them on `node` request: of one queue, or of all others. At least what is there to
  // be had, since evictions are not taken off.
  struct Share {
    model::QueueId queue;
    int32_t tasks = 0;
    model::ResourceVec request;
  };
  absl::Span<const Share> SharesOn(model::NodeId node) const {
    return {shares_.data() + first_share_[node.index()],
            first_share_[node.index() + 1] - first_share_[node.index()]};
  }

  // Bound or running tasks there that are none of On, by why.
  struct Kept {
    int32_t marked = 0;   // Not preemptable.
    int32_t outside = 0;  // Of no job that takes part.
  };
  const Kept& KeptOn(model::NodeId node) const { return kept_[node.index()]; }

  // True when a pod with less than `priority` was already leaving `node` as the session opened.
  bool IsLeft(model::NodeId node, int32_t priority) const;

 private:
  struct Leaving {
    model::NodeId node;
    int32_t priority = 0;
  };

  std::vector<size_t> first_task_;  // By node index, with an end.
  std::vector<model::TaskId> tasks_;
  std::vector<size_t> first_share_;
  std::vector<Share> shares_;
  std::vector<Kept> kept_;        // By node index.
  std::vector<Leaving> leaving_;  // By node.
};

}  // namespace bth::actions::eviction
