// Which devices of a node the claims of a pod are given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algo/device_use.h"
#include "api/model/device_claims.h"

namespace bth::algo {

// What selectors say of devices. Implementations remember the answers.
class DeviceJudge {
 public:
  enum class Verdict : uint8_t { kNo, kYes, kFault };
  virtual ~DeviceJudge() = default;
  // Adds to *steps what finding it out cost. `test` is not null.
  virtual Verdict Judge(const model::DeviceTest& test, const model::PoolFacts& pool, size_t device,
                        int64_t* steps) = 0;
  // Why, of a device that got kFault.
  virtual std::string FaultOf(const model::DeviceTest& test, const model::PoolFacts& pool,
                              size_t device) = 0;
};

// A claim with the classes of its demands: by request and demand, none of them null.
struct ClaimToAllocate {
  const model::DeviceClaimFacts* claim = nullptr;
  std::vector<std::vector<const model::DeviceClassFacts*>> classes;
};

// A pool some of whose devices may be used on the node, and what is taken of it.
struct OfferedPool {
  const model::PoolFacts* facts = nullptr;
  const PoolUse* use = nullptr;
};

struct GivenDevice {
  size_t request = 0;
  size_t demand = 0;  // Which alternative.
  size_t pool = 0;    // Of the offered ones.
  size_t device = 0;
  std::vector<int64_t> consumed;  // By capacity; of shared devices.
  friend bool operator==(const GivenDevice&, const GivenDevice&) = default;
};

// How many devices one pod may ask for in all its claims together: the search goes a level deeper
// with each.
inline constexpr size_t kDevicesPerPodMax = 1024;

struct DeviceAllocation {
  enum class Result : uint8_t {
    kFound,
    kNone,     // There is no way to give all claims what they ask for.
    kFault,    // Some claim asks for what cannot be told or given: `text`.
    kGivenUp,  // Not found in so many steps.
  };
  Result result = Result::kNone;
  std::string text;
  std::vector<std::vector<GivenDevice>> claims;  // By claim, in the order of requests.
  int64_t steps = 0;
};

// The first solution in the order of claims, requests, alternatives, pools and devices. Of the
// devices of one request each comes after the one before. Pure; a step is one look at one device.
// Pools come in the order in which they are to be used.
DeviceAllocation AllocateDevices(const std::vector<ClaimToAllocate>& claims,
                                 const std::vector<OfferedPool>& pools,
                                 const model::NodeFacts& node, DeviceJudge& judge,
                                 int64_t steps_max);

}  // namespace bth::algo
