#include "framework/topology/domain_slots.h"

#include "framework/topology/topology.h"

namespace bth::framework {

using model::HyperNodeId;
using model::NodeId;

DomainSlots::DomainSlots(const Session& session, model::ShapeId shape)
    : tree_(session.topology().tree()), slots_(session, shape), follower_(session) {
  on_node_.assign(session.base().nodes.size(), 0);
  in_.assign(tree_.rows.size(), 0);
}

int64_t DomainSlots::Of(HyperNodeId id) {
  follower_.CatchUp([this](NodeId node) {
    const int32_t slots = slots_.On(node);
    const int32_t more = slots - on_node_[node];
    if (more == 0) return;
    on_node_[node] = slots;
    for (HyperNodeId of : tree_.Of(node)) in_[of] += more;
  });
  return in_[id];
}

}  // namespace bth::framework
