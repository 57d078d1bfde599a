// What bindings find in ResourceClaim objects, and write into them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/model/device_claims.h"
#include "api/types/json.h"
#include "api/types/resource_claim.h"
#include "client/api_client.h"

namespace bth::cache {

// A pod whose claims are written, or were.
struct ClaimOrder {
  std::string pod;  // "<namespace>/<name>"
  std::string name;
  std::string uid;
  std::string node;
  std::shared_ptr<const model::ClaimPlan> plan;
};

// What is known of pods by their UID: one made anew has another. Thread: I/O.
struct ClaimAttempts {
  std::set<std::string> active;             // Their binding is under way,
  std::set<std::string> unsure;             // and of these: some write has no answer.
  std::map<std::string, std::string> made;  // Keys of claims that were made for them.
};

// Of its last change. Versions of one kind count up (KEP-5504); 0: not known.
uint64_t ClaimVersion(const types::ResourceClaim& claim);
bool HasDevices(const types::ClaimAllocation& written, const model::AllocationFacts& wanted);
// It stands for the extended resources of that pod.
bool IsMadeFor(const types::ResourceClaim& claim, const std::string& uid);
bool IsUsedBy(const types::ResourceClaim& claim, const std::string& uid);

client::ApiPath PathOfClaim(const types::ResourceClaim& claim);
// status.reservedFor; null when nobody is left: the field goes.
types::Json UsersBody(const std::vector<types::ClaimConsumer>& users);

}  // namespace bth::cache
