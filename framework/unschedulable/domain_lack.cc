#include "framework/unschedulable/domain_lack.h"

#include "framework/session/session.h"
#include "framework/topology/gang_demand.h"
#include "framework/topology/topology.h"

namespace bth::framework {

void DomainLack::TakeOver(const GangDemand& demand) {
  kinds.clear();
  for (const GangDemand::Kind& kind : demand.kinds()) {
    kinds.push_back({.shape = kind.shape, .tasks = kind.tasks, .best_effort = kind.best_effort});
  }
  not_enough = demand.failures();
}

bool IsInBounds(const Session& session, const DomainLack& lack, model::HyperNodeId id) {
  const model::HyperNodeTree& tree = session.topology().tree();
  if (tree.tier(id) > lack.tier) return false;
  return !lack.within.valid() || tree.IsAbove(lack.within, id);
}

bool MayHold(const Session& session, const DomainLack& lack, model::HyperNodeId id) {
  const Topology& topology = session.topology();
  if (!IsInBounds(session, lack, id)) return false;
  if (!topology.HasFree(id, lack.of_job) || !topology.HasFree(id, lack.of_sub_job)) return false;
  if (lack.not_enough.empty()) return true;
  GangDemand::Counts room;
  for (const DomainLack::Kind& kind : lack.kinds) {
    const int64_t slots =
        kind.best_effort ? kind.tasks : topology.SlotsUpTo(session, kind.shape, id, kind.tasks);
    room.push_back(static_cast<int32_t>(slots));
  }
  return GangDemand::MayBeEnough(room, lack.not_enough);
}

}  // namespace bth::framework
