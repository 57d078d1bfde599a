// What is taken of the devices of a pool, and how much of one an allocation takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/model/device_claims.h"

namespace bth::algo {

struct DeviceUse {
  int32_t claims = 0;
  std::vector<int64_t> consumed;  // By DeviceFacts::capacities; empty: nothing.
};

// By the numbers of the pool.
struct PoolUse {
  std::vector<DeviceUse> devices;
  std::vector<int64_t> counters;

  PoolUse() = default;
  explicit PoolUse(const model::PoolFacts& pool)
      : devices(pool.devices.size()), counters(pool.counters.size()) {}
};

// One claim more, or one less, has the device. `consumed`: as in DeviceUse.
void Take(const model::PoolFacts& pool, size_t device, const std::vector<int64_t>& consumed,
          PoolUse* use);
void GiveBack(const model::PoolFacts& pool, size_t device, const std::vector<int64_t>& consumed,
              PoolUse* use);

// The amount of each capacity of a shared device that the demand takes. Nothing: it asks for more
// than one allocation may have, or for a capacity that is not there.
std::optional<std::vector<int64_t>> Consumption(const model::DeviceDemandFacts& demand,
                                                std::string_view driver,
                                                const model::DeviceFacts& device);
// Of a device that is given whole: it has what the demand asks for.
bool HasCapacity(const model::DeviceDemandFacts& demand, std::string_view driver,
                 const model::DeviceFacts& device);

// Counters, and of shared devices capacities, suffice for one more.
bool HasRoom(const model::PoolFacts& pool, size_t device, const std::vector<int64_t>& consumed,
             const PoolUse& use);

bool Tolerates(const model::DeviceDemandFacts& demand, const model::PoolDevice& device);

}  // namespace bth::algo
