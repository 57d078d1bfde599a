#include "cache/writes/claim_objects.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "cache/intake/compile_devices.h"
#include "client/typed_client.h"

namespace bth::cache {

using types::Json;
using types::ResourceClaim;

uint64_t ClaimVersion(const ResourceClaim& claim) {
  uint64_t out = 0;
  return SimpleAtoi(claim.meta.resource_version, &out) ? out : 0;
}

bool HasDevices(const types::ClaimAllocation& written, const model::AllocationFacts& wanted) {
  return std::equal(written.results.begin(), written.results.end(), wanted.devices.begin(),
                    wanted.devices.end(), [](const auto& has, const auto& wants) {
                      return has.request == wants.request && has.driver == wants.driver &&
                             has.pool == wants.pool && has.device == wants.device &&
                             has.share_id == wants.share_id;
                    });
}

bool IsMadeFor(const ResourceClaim& claim, const std::string& uid) {
  return IsForExtended(claim.meta) && claim.meta.Controller()->uid == uid;
}

bool IsUsedBy(const ResourceClaim& claim, const std::string& uid) {
  const auto& users = claim.status.reserved_for;
  return std::any_of(users.begin(), users.end(),
                     [&uid](const types::ClaimConsumer& user) { return user.uid == uid; });
}

client::ApiPath PathOfClaim(const ResourceClaim& claim) {
  return client::PathOf<ResourceClaim>(claim.meta.ns, claim.meta.name);
}

Json UsersBody(const std::vector<types::ClaimConsumer>& users) {
  if (users.empty()) return Json();
  Json out = Json::MakeArray();
  for (const types::ClaimConsumer& user : users) {
    Json row = Json::MakeObject();
    if (!user.api_group.empty()) row.Set("apiGroup", user.api_group);
    row.Set("resource", user.resource);
    row.Set("name", user.name);
    row.Set("uid", user.uid);
    out.MutableItems().push_back(std::move(row));
  }
  return out;
}

}  // namespace bth::cache
