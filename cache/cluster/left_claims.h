// Device claims of pods that wait.
#pragma once

#include <memory>

#include "api/model/device_claims.h"
#include "api/model/snapshot.h"

namespace bth::cache {

// The claims that have devices and that nobody but that pod may use, as an attempt to bind it left
// them; null: there are none. Thread: any. Cost: logarithmic for each claim of the pod.
std::shared_ptr<const model::ClaimPlan> LeftClaims(const model::DeviceClaimsView& view,
                                                   const model::TaskRow& pod);

}  // namespace bth::cache
