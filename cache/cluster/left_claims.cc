#include "cache/cluster/left_claims.h"

#include <string>

#include "base/strings.h"

namespace bth::cache {

std::shared_ptr<const model::ClaimPlan> LeftClaims(const model::DeviceClaimsView& view,
                                                   const model::TaskRow& pod) {
  const model::TaskNames& names = *pod.names;
  if (view.IsReturning(names.uid)) return nullptr;  // They are on their way.
  std::shared_ptr<model::ClaimPlan> plan;
  const auto add = [&](const model::DeviceClaimFacts* claim) {
    if (claim == nullptr || claim->allocation == nullptr || !claim->IsFreeFor(names.uid)) return;
    if (plan == nullptr) plan = std::make_shared<model::ClaimPlan>();
    model::ClaimPlan::Claim& left = plan->claims.emplace_back();
    left.key = claim->key;
    left.uid = claim->uid;
    left.allocation = claim->allocation;
  };
  if (pod.device_claims != nullptr) {
    for (const model::DeviceClaimUse& use : pod.device_claims->uses) {
      if (!use.claim.empty()) add(view.claims.Find(StrCat(names.ns, "/", use.claim)));
    }
  }
  add(view.MadeFor(names.ns, names.uid));
  return plan;
}

}  // namespace bth::cache
