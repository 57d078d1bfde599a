#include "framework/topology/domain_sums.h"

namespace bth::framework {

using model::HyperNodeId;
using model::NodeId;
using model::ResourceVec;

DomainSum CountDomain(const model::Snapshot& base, const model::Usage& usage,
                      const model::HyperNodeRow& row) {
  DomainSum sum;
  for (const model::NodeRange run : row.runs) {
    for (NodeId node : run) {
      sum.allocatable += base.allocatable[node];
      sum.idle += usage.idle[node];
      sum.free += AtLeastNothing(usage.idle[node]);
      sum.free_later += AtLeastNothing(usage.FutureIdle(node));
    }
  }
  return sum;
}

bool SameAmounts(const DomainSum& a, const DomainSum& b) {
  return a.allocatable == b.allocatable && a.idle == b.idle && a.free == b.free &&
         a.free_later == b.free_later;
}

const DomainSum& DomainSums::Of(HyperNodeId id) {
  CatchUp();
  return sums_[id];
}

void DomainSums::CatchUp() {
  const std::vector<NodeId>& changes = placements_.node_changes();
  if (changes_seen_ == kNever) Begin();
  for (; changes_seen_ < changes.size(); ++changes_seen_) Look(changes[changes_seen_]);
}

void DomainSums::Begin() {
  sums_.assign(tree_.rows.size(), DomainSum());
  seen_.assign(base_.nodes.size(), Seen());
  changes_seen_ = placements_.node_changes().size();
  for (NodeId node : *base_.nodes_by_name) {
    for (HyperNodeId id : tree_.Of(node)) sums_[id].allocatable += base_.allocatable[node];
    Look(node);
  }
}

void DomainSums::Look(NodeId node) {
  const auto of = tree_.Of(node);
  if (of.empty()) return;
  Seen& seen = seen_[node];
  const ResourceVec idle = placements_.usage().idle[node];
  const ResourceVec later = placements_.usage().FutureIdle(node);
  const ResourceVec more = idle - seen.idle;
  const ResourceVec more_free = AtLeastNothing(idle) - AtLeastNothing(seen.idle);
  const ResourceVec more_later = AtLeastNothing(later) - AtLeastNothing(seen.later);
  for (HyperNodeId id : of) {
    DomainSum& sum = sums_[id];
    ++sum.version;
    sum.idle += more;
    sum.free += more_free;
    sum.free_later += more_later;
  }
  seen = {idle, later};
}

}  // namespace bth::framework
