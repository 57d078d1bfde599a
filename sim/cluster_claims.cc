// Device claims: what Kubernetes' claim controller and a binding make of them.
#include <algorithm>
#include <utility>

#include "api/model/device_claims.h"
#include "api/types/fragment.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile_devices.h"
#include "cache/writes/allocation_body.h"
#include "sim/cluster.h"

namespace bth::sim {

// Named after the pod and its entry: the controller would add some letters that nobody knows
// before.
void Cluster::MakeClaims() {
  for (const auto& [key, origin] : pods_.fresh) {
    types::Pod& pod = pods_.objects.at(key);
    for (const types::PodResourceClaim& entry : pod.spec.resource_claims) {
      if (entry.resource_claim_template_name.empty()) continue;
      auto& statuses = pod.status.resource_claim_statuses;
      const bool is_made = std::any_of(
          statuses.begin(), statuses.end(),
          [&entry](const types::PodResourceClaimStatus& made) { return made.name == entry.name; });
      const auto from = claim_templates_.objects.find(
          StrCat(pod.meta.ns, "/", entry.resource_claim_template_name));
      if (is_made || from == claim_templates_.objects.end()) continue;
      types::ResourceClaim claim;
      claim.meta.ns = pod.meta.ns;
      claim.meta.name = StrCat(pod.meta.name, "-", entry.name);
      claim.meta.labels = from->second.spec.meta.labels;
      claim.meta.annotations = from->second.spec.meta.annotations;
      claim.spec = from->second.spec.spec.view;
      if (pod.meta.uid.empty()) pod.meta.uid = StrCat("of-", key);
      types::OwnerReference owner;
      owner.api_version = "v1";
      owner.kind = "Pod";
      owner.name = pod.meta.name;
      owner.uid = pod.meta.uid;
      owner.controller = true;
      claim.meta.owner_references.push_back(std::move(owner));
      statuses.push_back({.name = entry.name, .resource_claim_name = claim.meta.name});
      const std::string claim_key = claim.meta.Key();
      if (device_claims_.objects.contains(claim_key)) continue;
      device_claims_.objects[claim_key] = std::move(claim);
      device_claims_.fresh[claim_key] = origin;
    }
  }
}

// Kubernetes' would have some letters more at its end.
std::string Cluster::MakeExtendedClaim(const std::string& pod,
                                       const model::ExtendedClaimFacts& extended) {
  const types::ObjectMeta& user = pods_.objects.at(pod).meta;
  types::ResourceClaim claim;
  claim.meta.ns = user.ns;
  claim.meta.name = StrCat(user.name, "-extended-resources");
  claim.meta.annotations.Set(cache::kExtendedClaim, "true");
  types::OwnerReference owner;
  owner.api_version = "v1";
  owner.kind = "Pod";
  owner.name = user.name;
  owner.uid = user.uid;
  owner.controller = true;
  claim.meta.owner_references.push_back(std::move(owner));
  for (const model::DeviceRequestFacts& request : extended.requests) {
    types::DeviceRequest& row = claim.spec.requests.emplace_back();
    row.name = request.name;
    types::DeviceDemand& demand = row.exactly.emplace();
    demand.device_class_name = request.demands.front().device_class;
    demand.allocation_mode = "ExactCount";
    demand.count = request.demands.front().count;
  }
  std::string key = claim.meta.Key();
  claim.meta.uid = StrCat("of-", key);
  device_claims_.objects[key] = std::move(claim);
  return key;
}

absl::Status Cluster::AllocateClaims(const model::ClaimPlan& plan, const std::string& pod,
                                     absl::Time now, cache::Mirror* mirror) {
  const types::ObjectMeta& user = pods_.objects.at(pod).meta;
  for (const model::ClaimPlan::Claim& wanted : plan.claims) {
    const std::string key =
        wanted.key.empty() ? MakeExtendedClaim(pod, *wanted.extended) : wanted.key;
    types::ResourceClaim& claim = device_claims_.objects.at(key);
    if (wanted.allocation != nullptr) {
      BTH_ASSIGN_OR_RETURN(claim.status.allocation,
                           types::FragmentFromJson<types::ClaimAllocation>(
                               cache::AllocationBody(*wanted.allocation, now)));
    }
    auto& users = claim.status.reserved_for;
    std::erase_if(users,
                  [&user](const types::ClaimConsumer& known) { return known.uid == user.uid; });
    users.push_back({.api_group = "", .resource = "pods", .name = user.name, .uid = user.uid});
    BTH_RETURN_IF_ERROR(Put(&claim, mirror));
  }
  return absl::OkStatus();
}

// A claim without users gives its devices back; one that was made for the pod goes with it.
void Cluster::ReleaseClaims(const types::Pod& pod, cache::Mirror* mirror) {
  std::vector<std::string> gone;
  for (auto& [key, claim] : device_claims_.objects) {
    const types::OwnerReference* owner = claim.meta.Controller();
    if (owner != nullptr && owner->uid == pod.meta.uid) {
      gone.push_back(key);
      continue;
    }
    const size_t left = std::erase_if(
        claim.status.reserved_for,
        [&pod](const types::ClaimConsumer& user) { return user.uid == pod.meta.uid; });
    if (left == 0) continue;
    if (claim.status.reserved_for.empty()) claim.status.allocation.reset();
    static_cast<void>(Put(&claim, mirror));  // Claims are never refused.
  }
  for (const std::string& key : gone) {
    device_claims_.fresh.erase(key);
    const types::ObjectMeta meta = std::move(device_claims_.objects.at(key).meta);
    device_claims_.objects.erase(key);
    cache::Router(*mirror, responsibility_)
        .Remove(cache::Kind<types::ResourceClaim>(), {.ns = meta.ns, .name = meta.name});
  }
}

}  // namespace bth::sim
