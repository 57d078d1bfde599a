// What claims ask for of the devices of each class, and whether a quota allows it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/model/device_claims.h"
#include "api/model/device_quota.h"

namespace bth::algo {

// Sums stay at the ends of 64 bits.
using DeviceAmounts = std::map<std::string, model::ClassAmounts, std::less<>>;  // By class.

// As queues name them: "deviceclass/gpu.example.com", "memory.deviceclass/gpu.example.com".
std::string AmountName(std::string_view device_class);
std::string AmountName(std::string_view device_class, std::string_view dimension);

// Alternatives and "all devices" are no amounts. `parts`: amounts of what devices have count too.
DeviceAmounts AmountsOf(const model::DeviceClaimFacts& claim, bool parts);
// `times` may be negative; classes of which nothing is left go.
void Add(const DeviceAmounts& more, int64_t times, DeviceAmounts* sum);
// The name of the first amount in which `held` and `more` together go beyond what the quota allows.
// Classes that the quota does not name are not limited; of those that it does, every dimension
// asked for is.
std::optional<std::string> FirstBeyond(const model::DeviceQuota& quota, const DeviceAmounts& held,
                                       const DeviceAmounts& more);

}  // namespace bth::algo
