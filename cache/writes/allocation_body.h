// What an allocation of devices looks like on the wire.
#pragma once

#include <optional>

#include "absl/time/time.h"
#include "api/model/device_claims.h"
#include "api/types/json.h"

namespace bth::cache {

// status.allocation of a ResourceClaim. `now`: the time is told to whoever waits for the conditions
// of the devices, if there are such.
types::Json AllocationBody(const model::AllocationFacts& allocation, absl::Time now);

}  // namespace bth::cache
