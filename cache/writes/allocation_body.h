// What an allocation of devices looks like on the wire.
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "api/model/device_claims.h"
#include "api/types/json.h"

namespace bth::cache {

// status.allocation of a ResourceClaim. `now`: the time is told to whoever waits for the conditions
// of the devices, if there are such.
types::Json AllocationBody(const model::AllocationFacts& allocation, absl::Time now);

struct ClaimOwner {
  std::string ns;
  std::string name;
  std::string uid;
};
// The ResourceClaim for the extended resources of that pod, as kube-scheduler makes it.
types::Json ExtendedClaimBody(const ClaimOwner& pod, const model::ExtendedClaimFacts& extended);
// status.extendedResourceClaimStatus of the pod.
types::Json ExtendedStatusBody(const model::ExtendedClaimFacts& extended, const std::string& claim);

}  // namespace bth::cache
