// Devices and claims of a small world, for tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algo/device_allocation.h"
#include "base/strings.h"

namespace bth::algo::testing {

using model::AttributeValue;
using model::DeviceClaimFacts;
using model::DeviceClassFacts;
using model::DeviceDemandFacts;
using model::DeviceFacts;
using model::DeviceReach;
using model::PoolFacts;
using model::SliceFacts;
using Result = DeviceAllocation::Result;

// Says yes to devices whose attribute x.io/kind is this number.
class KindTest final : public model::DeviceTest {
 public:
  KindTest(uint64_t serial, int64_t kind) : DeviceTest(serial), kind_(kind) {}
  Outcome Run(std::string_view, const DeviceFacts& device) const override {
    const AttributeValue* value = device.FindAttribute("x.io/kind");
    if (value == nullptr) return {.matches = false, .error = "no such key: kind", .cost = 1};
    return {.matches = value->number == kind_, .error = "", .cost = 1};
  }

 private:
  const int64_t kind_;
};

// Asks every time.
class PlainJudge final : public DeviceJudge {
 public:
  Verdict Judge(const model::DeviceTest& test, const PoolFacts& pool, size_t device,
                int64_t*) override {
    const auto outcome = test.Run(pool.driver, *pool.devices[device].facts);
    if (!outcome.error.empty()) return Verdict::kFault;
    return outcome.matches ? Verdict::kYes : Verdict::kNo;
  }
  std::string FaultOf(const model::DeviceTest& test, const PoolFacts& pool,
                      size_t device) override {
    return test.Run(pool.driver, *pool.devices[device].facts).error;
  }
};

inline AttributeValue Number(int64_t number) {
  return {.kind = AttributeValue::Kind::kInt, .number = number, .text = ""};
}

// A cluster of one node: pools, what is taken of them, and claims.
struct World {
  std::vector<std::shared_ptr<PoolFacts>> pools;
  std::vector<PoolUse> uses;
  std::vector<std::unique_ptr<DeviceClaimFacts>> claims;
  std::shared_ptr<DeviceClassFacts> device_class = std::make_shared<DeviceClassFacts>();
  model::NodeFacts node;

  World() {
    node.name = "n";
    device_class->name = "any";
  }
  std::vector<OfferedPool> Offered() const {
    std::vector<OfferedPool> out;
    for (size_t p = 0; p < pools.size(); ++p) out.push_back({pools[p].get(), &uses[p]});
    return out;
  }
  std::vector<ClaimToAllocate> ToAllocate() const {
    std::vector<ClaimToAllocate> out;
    for (const auto& claim : claims) {
      ClaimToAllocate& row = out.emplace_back();
      row.claim = claim.get();
      for (const auto& request : claim->requests) {
        row.classes.emplace_back(request.demands.size(), device_class.get());
      }
    }
    return out;
  }
  DeviceAllocation Allocate(int64_t steps_max = 1'000'000) const {
    PlainJudge judge;
    return AllocateDevices(ToAllocate(), Offered(), node, judge, steps_max);
  }
};

inline DeviceDemandFacts Demand(int64_t count) {
  DeviceDemandFacts out;
  out.device_class = "any";
  out.count = count;
  return out;
}

inline void AddPool(World* world, const std::string& name, std::vector<DeviceFacts> devices,
                    std::vector<std::pair<std::string, int64_t>> counters = {}) {
  auto slice = std::make_shared<SliceFacts>();
  slice->name = name;
  slice->driver = "x.io";
  slice->pool = name;
  slice->slices_in_pool = 1;
  slice->reach.kind = DeviceReach::Kind::kNode;
  slice->reach.node = "n";
  slice->devices = std::move(devices);
  if (!counters.empty()) slice->counters.push_back({"set", std::move(counters)});
  world->pools.push_back(PoolFacts::Of({slice}));
  world->uses.emplace_back(*world->pools.back());
}

inline DeviceFacts Named(const std::string& name) {
  DeviceFacts out;
  out.name = name;
  return out;
}

inline DeviceClaimFacts& AddClaim(World* world) {
  auto claim = std::make_unique<DeviceClaimFacts>();
  claim->key = StrCat("ns/c", world->claims.size());
  world->claims.push_back(std::move(claim));
  return *world->claims.back();
}

inline void AddRequest(DeviceClaimFacts* claim, const std::string& name,
                       std::vector<DeviceDemandFacts> demands) {
  auto& request = claim->requests.emplace_back();
  request.name = name;
  request.prioritized = demands.size() > 1;
  request.demands = std::move(demands);
}

}  // namespace bth::algo::testing
