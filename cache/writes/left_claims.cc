#include "cache/writes/left_claims.h"

#include <string>

#include "base/strings.h"

namespace bth::cache {

std::shared_ptr<const model::ClaimPlan> LeftClaims(const model::Snapshot& snapshot,
                                                   model::TaskId task) {
  if (snapshot.device_claims == nullptr) return nullptr;
  const model::DeviceClaimsView& view = *snapshot.device_claims;
  const model::TaskRow& row = snapshot.tasks[task];
  const model::TaskNames& names = *row.names;
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
  if (row.device_claims != nullptr) {
    for (const model::DeviceClaimUse& use : row.device_claims->uses) {
      if (!use.claim.empty()) add(view.claims.Find(StrCat(names.ns, "/", use.claim)));
    }
  }
  add(view.for_extended.Find(names.uid));
  return plan;
}

}  // namespace bth::cache
