// Which claims a pod names, and why they keep it off all nodes.
#include <algorithm>

#include "base/strings.h"
#include "plugins/predicates/device_claim_book.h"

namespace bth::plugins::predicates {

using model::DeviceClaimFacts;
using model::DeviceClaimUse;
using model::TaskId;

std::string DeviceClaimBook::WhyNotAllocatable(const DeviceClaimFacts& claim) const {
  if (!claim.fault.empty()) return StrCat("resource claim ", claim.key, " ", claim.fault);
  for (const model::DeviceRequestFacts& request : claim.requests) {
    if (request.demands.empty()) {
      return StrCat("resource claim ", claim.key, ", request ", request.name,
                    ": unknown request type");
    }
    for (const model::DeviceDemandFacts& demand : request.demands) {
      const std::string label = request.LabelOf(demand);
      if (view_.classes.Find(demand.device_class) == nullptr) {
        return StrCat("request ", label, ": device class ", demand.device_class, " does not exist");
      }
      if (!demand.unknown_mode.empty()) {
        return StrCat("resource claim ", claim.key, ", request ", label,
                      ": unsupported allocation mode ", demand.unknown_mode);
      }
    }
  }
  return "";
}

void DeviceClaimBook::AddClaim(TaskId task, const DeviceClaimUse& use, Claims* out) const {
  const model::TaskNames& names = *session_.task(task).names;
  if (use.kind == DeviceClaimUse::Kind::kUnknown) {
    out->why_nowhere = StrCat("Pod ", names.Key(), ", spec.resourceClaim ", use.entry,
                              ": none of the supported fields are set");
    return;
  }
  if (use.kind == DeviceClaimUse::Kind::kNotMadeYet) {
    out->why_nowhere = StrCat("Pod ", names.Key(), ": ResourceClaim not created yet");
    return;
  }
  const DeviceClaimFacts* claim = view_.claims.Find(StrCat(names.ns, "/", use.claim));
  if (claim == nullptr) {
    out->why_nowhere = StrCat("resourceclaim.resource.k8s.io \"", use.claim, "\" not found");
    return;
  }
  if (claim->deleting) {
    out->why_nowhere = StrCat("resourceclaim \"", use.claim, "\" is being deleted");
    return;
  }
  if (use.kind == DeviceClaimUse::Kind::kFromTemplate && claim->owner_uid != names.uid) {
    out->why_nowhere = StrCat("ResourceClaim ", claim->key, " was not created for Pod ",
                              names.Key(), " (Pod is not owner)");
    return;
  }
  if (std::find(out->all.begin(), out->all.end(), claim) != out->all.end()) return;
  out->all.push_back(claim);
  if (AllocationOf(*claim) == nullptr) {
    out->why_nowhere = WhyNotAllocatable(*claim);
    return;
  }
  const auto hold = holds_.find(claim);
  const size_t users = claim->reserved_for.size() +
                       (hold == holds_.end() ? 0 : static_cast<size_t>(hold->second.new_users));
  const bool is_full = users >= model::kClaimConsumersMax;
  if (is_full && !claim->IsReservedFor(names.uid)) out->why_nowhere = "resourceclaim in use";
}

const DeviceClaimBook::Claims& DeviceClaimBook::Resolve(TaskId task) {
  if (resolved_task_ == task) return resolved_;
  resolved_task_ = task;
  resolved_ = Claims();
  const model::TaskNames& names = *session_.task(task).names;
  if (view_.IsReturning(names.uid)) {
    resolved_.why_nowhere = StrCat("Pod ", names.Key(), ": what an earlier binding wrote into ",
                                   "its claims is being taken back");
    return resolved_;
  }
  if (const auto& named = session_.task(task).device_claims; named != nullptr) {
    for (const DeviceClaimUse& use : named->uses) {
      AddClaim(task, use, &resolved_);
      if (!resolved_.why_nowhere.empty()) break;
    }
  }
  if (resolved_.why_nowhere.empty()) AddMade(task, &resolved_);
  resolved_.answers = AnswersFor(resolved_, task);
  return resolved_;
}

std::string DeviceClaimBook::WhyNowhere(TaskId task) {
  return Concerns(task) ? Resolve(task).why_nowhere : "";
}

std::string DeviceClaimBook::WhyWithoutAny(TaskId task) const {
  Claims claims;
  const auto& named = session_.task(task).device_claims;
  if (named == nullptr || follows_places()) return "";
  for (const DeviceClaimUse& use : named->uses) {
    AddClaim(task, use, &claims);
    if (!claims.why_nowhere.empty()) break;
  }
  return claims.why_nowhere;
}

}  // namespace bth::plugins::predicates
