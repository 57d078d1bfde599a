// How many tasks of one shape each HyperNode could take.
#pragma once

#include <cstdint>

#include "api/model/hyper_nodes.h"
#include "base/ids.h"
#include "framework/nodes/node_follower.h"
#include "framework/nodes/node_slots.h"
#include "framework/session/session.h"

namespace bth::framework {

// Of each HyperNode. In step with the session, for which it lives. Thread: scheduling. Cost: all
// nodes times the depth the first time, later the nodes that changed since the last question.
class DomainSlots {
 public:
  DomainSlots(const Session& session, model::ShapeId shape);

  int64_t Of(model::HyperNodeId id);

 private:
  const model::HyperNodeTree& tree_;
  const NodeSlots slots_;
  NodeFollower follower_;
  IdVector<model::NodeId, int32_t> on_node_;
  IdVector<model::HyperNodeId, int64_t> in_;
};

}  // namespace bth::framework
