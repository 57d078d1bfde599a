// What an allocation of devices looks like in the claim.
#pragma once

#include <memory>
#include <vector>

#include "algo/device_allocation.h"
#include "api/model/device_claims.h"

namespace bth::plugins::predicates {

// `given` are devices of `pools` for the claim, to be used on `node`.
std::shared_ptr<const model::AllocationFacts> AllocationFrom(
    const algo::ClaimToAllocate& claim, const std::vector<algo::GivenDevice>& given,
    const std::vector<algo::OfferedPool>& pools, const model::NodeFacts& node);

}  // namespace bth::plugins::predicates
