#include "framework/unschedulable/grown_domains.h"

#include <algorithm>

#include "framework/topology/topology.h"

namespace bth::framework {

GrownDomains::GrownDomains(const Session& session, const model::Usage& before,
                           absl::Span<const model::NodeId> grown)
    : session_(session), before_(before) {
  const model::HyperNodeTree& tree = session.topology().tree();
  for (model::NodeId node : grown) {
    const auto of = tree.Of(node);
    ids_.insert(ids_.end(), of.begin(), of.end());
  }
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

bool GrownDomains::Help(const DomainLack& lack) {
  constexpr model::ResourceVec kNothing;
  if (lack.of_job == kNothing && lack.of_sub_job == kNothing) return false;
  return std::any_of(ids_.begin(), ids_.end(), [&](model::HyperNodeId id) {
    return IsInBounds(session_, lack, id) && !HeldBefore(lack, id) && MayHold(session_, lack, id);
  });
}

bool GrownDomains::HeldBefore(const DomainLack& lack, model::HyperNodeId id) {
  const auto [at, is_new] = sums_.try_emplace(id);
  DomainSum& sum = at->second;
  if (is_new) sum = CountDomain(session_.base(), before_, session_.topology().tree()[id]);
  const auto holds = [&sum](const model::ResourceVec& minimum) {
    return minimum.AllAtMost(sum.free) || minimum.AllAtMost(sum.free_later);
  };
  return holds(lack.of_job) && holds(lack.of_sub_job);
}

}  // namespace bth::framework
