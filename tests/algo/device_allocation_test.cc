#include "algo/device_allocation.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/algo/device_world.h"
#include "tests/support/catch.h"

namespace bth::algo::testing {
namespace {

TEST_CASE("devices: pools that are not whole give nothing", "[algo]") {
  World world;
  AddPool(&world, "p", {Named("a")});
  AddRequest(&AddClaim(&world), "r", {Demand(1)});
  CHECK(world.Allocate().result == Result::kFound);
  world.pools[0]->complete = false;
  CHECK(world.Allocate().result == Result::kNone);
  world.pools[0]->complete = true;
  world.pools[0]->fault = "duplicate device name a";
  CHECK(world.Allocate().result == Result::kNone);
  world.claims[0]->requests[0].demands[0].all = true;
  CHECK(world.Allocate().text ==
        "claim ns/c0, request r: asks for all devices, but resource pool x.io/p is currently "
        "invalid");
}

TEST_CASE("devices: all of nothing is nothing", "[algo]") {
  World world;
  AddRequest(&AddClaim(&world), "r", {Demand(1)});
  world.claims[0]->requests[0].demands[0].all = true;
  CHECK(world.Allocate().result == Result::kNone);
}

TEST_CASE("devices: the search ends in so many steps", "[algo]") {
  World world;
  std::vector<DeviceFacts> devices;
  for (int i = 0; i < 40; ++i) devices.push_back(Named(StrCat("d", i)));
  AddPool(&world, "p", std::move(devices));
  DeviceClaimFacts& claim = AddClaim(&world);
  AddRequest(&claim, "r", {Demand(10)});
  AddRequest(&claim, "q", {Demand(1)});
  claim.constraints.push_back({.requests = {"q"}, .attribute = "x.io/none", .distinct = false});
  const DeviceAllocation given_up = world.Allocate(10'000);
  CHECK(given_up.result == Result::kGivenUp);
  CHECK(given_up.steps <= 10'001);
}

TEST_CASE("devices: a pod has 1024 of them at most", "[algo]") {
  World world;
  std::vector<DeviceFacts> devices;
  for (int i = 0; i < 1024; ++i) devices.push_back(Named(StrCat("d", i)));
  AddPool(&world, "p", std::move(devices));
  for (int c = 0; c < 32; ++c) AddRequest(&AddClaim(&world), "r", {Demand(32)});
  CHECK(world.Allocate().result == Result::kFound);
  AddRequest(&AddClaim(&world), "s", {Demand(1)});
  CHECK(world.Allocate().text ==
        "claim ns/c32, request s: with it the pod asks for more than 1024 devices");
  for (int c = 0; c < 2000; ++c) AddRequest(&AddClaim(&world), "r", {Demand(32)});
  CHECK(world.Allocate().result == Result::kFault);
}

TEST_CASE("devices: a pod has 1024 of them at most, also of all there are", "[algo]") {
  World world;
  std::vector<DeviceFacts> devices;
  for (int i = 0; i < 32; ++i) devices.push_back(Named(StrCat("d", i)));
  AddPool(&world, "p", std::move(devices));
  const auto add_claim = [&world] {
    DeviceDemandFacts all = Demand(1);
    all.all = true;
    all.admin = true;
    AddRequest(&AddClaim(&world), "r", {all});
  };
  for (int c = 0; c < 32; ++c) add_claim();
  CHECK(world.Allocate().result == Result::kFound);
  add_claim();
  CHECK(world.Allocate().result == Result::kNone);
}

TEST_CASE("devices: any number of claims may ask for nothing", "[algo]") {
  World world;
  for (int c = 0; c < 200'000; ++c) AddClaim(&world);
  CHECK(world.Allocate().result == Result::kFound);
}

TEST_CASE("devices: an expression that fails is told with its place", "[algo]") {
  World world;
  AddPool(&world, "p", {Named("a")});
  AddRequest(&AddClaim(&world), "r", {Demand(1)});
  world.claims[0]->requests[0].demands[0].selectors.push_back(
      {std::make_shared<KindTest>(1, 1), ""});
  const DeviceAllocation fault = world.Allocate();
  CHECK(fault.result == Result::kFault);
  CHECK(fault.text == "claim ns/c0, request r: selector #0: CEL runtime error: no such key: kind");
}

TEST_CASE("devices: how much of a capacity one takes", "[algo]") {
  struct Case {
    std::optional<int64_t> asked;
    std::vector<int64_t> valid;
    std::optional<int64_t> min, max;
    int64_t step;
    std::optional<int64_t> taken;
  };
  const Case c = GENERATE(values<Case>({
      {std::nullopt, {}, std::nullopt, std::nullopt, 0, 10},  // All there is.
      {3, {}, std::nullopt, std::nullopt, 0, 3},
      {11, {}, std::nullopt, std::nullopt, 0, std::nullopt},
      {3, {2, 4, 8}, std::nullopt, std::nullopt, 0, 4},
      {4, {2, 4, 8}, std::nullopt, std::nullopt, 0, 4},
      {9, {2, 4, 8}, std::nullopt, std::nullopt, 0, std::nullopt},
      {std::nullopt, {2, 4, 8}, std::nullopt, std::nullopt, 0, 1},  // The default.
      {1, {}, 2, std::nullopt, 0, 2},
      {5, {}, 2, std::nullopt, 2, 6},
      {6, {}, 2, std::nullopt, 2, 6},
      {7, {}, 2, 7, 2, std::nullopt},
      {7, {}, 2, 8, 2, 8},
  }));
  DeviceFacts device = Named("a");
  device.shared = true;
  model::DeviceCapacityFacts capacity;
  capacity.name = "x.io/memory";
  capacity.milli = 10;
  if (!c.valid.empty() || c.min) {
    capacity.rule.emplace();
    capacity.rule->standard = 1;
    capacity.rule->valid = c.valid;
    capacity.rule->has_range = c.min.has_value();
    capacity.rule->min = c.min.value_or(0);
    capacity.rule->max = c.max;
    capacity.rule->step = c.step;
  }
  device.capacities.push_back(capacity);
  DeviceDemandFacts demand = Demand(1);
  if (c.asked) demand.capacities.push_back({.name = "memory", .milli = *c.asked, .binary = false});
  const auto taken = Consumption(demand, "x.io", device);
  REQUIRE(taken.has_value() == c.taken.has_value());
  if (c.taken) CHECK(*taken == std::vector<int64_t>{*c.taken});
  // A capacity that the device does not have.
  demand.capacities.push_back({.name = "y.io/memory", .milli = 1, .binary = false});
  CHECK_FALSE(Consumption(demand, "x.io", device).has_value());
}

TEST_CASE("devices: what is taken and given back leaves nothing", "[algo]") {
  World world;
  DeviceFacts part = Named("part");
  part.shared = true;
  part.capacities.resize(1);
  part.capacities[0].name = "x.io/memory";
  part.capacities[0].milli = 10;
  part.counters.push_back({"set", "slots", 3});
  AddPool(&world, "p", {part}, {{"slots", 4}});
  PoolUse& use = world.uses[0];
  Take(*world.pools[0], 0, {4}, &use);
  Take(*world.pools[0], 0, {5}, &use);
  CHECK(use.counters == std::vector<int64_t>{3});  // Once, however many share it.
  CHECK(use.devices[0].consumed == std::vector<int64_t>{9});
  CHECK_FALSE(HasRoom(*world.pools[0], 0, {2}, use));
  CHECK(HasRoom(*world.pools[0], 0, {1}, use));
  GiveBack(*world.pools[0], 0, {4}, &use);
  GiveBack(*world.pools[0], 0, {5}, &use);
  CHECK(use.counters == std::vector<int64_t>{0});
  CHECK(use.devices[0].claims == 0);
  CHECK(use.devices[0].consumed == std::vector<int64_t>{0});
}

TEST_CASE("devices: pools are made of the slices of the newest generation", "[algo]") {
  const auto slice = [](const std::string& name, int64_t generation, int64_t count,
                        const std::string& device) {
    auto out = std::make_shared<SliceFacts>();
    out->name = name;
    out->driver = "x.io";
    out->pool = "p";
    out->generation = generation;
    out->slices_in_pool = count;
    out->devices.push_back(Named(device));
    return out;
  };
  const auto pool = PoolFacts::Of({slice("a", 1, 1, "old"), slice("b", 2, 2, "new")});
  REQUIRE(pool->devices.size() == 1);
  CHECK(pool->devices[0].facts->name == "new");
  CHECK_FALSE(pool->complete);
  const auto whole = PoolFacts::Of({slice("b", 2, 2, "x"), slice("c", 2, 2, "x")});
  CHECK(whole->complete);
  CHECK(whole->fault == "duplicate device name x");
  auto counted = slice("d", 3, 1, "y");
  counted->devices[0].counters.push_back({"set", "slots", 1});
  CHECK(PoolFacts::Of({counted})->fault ==
        "device y consumes counter slots of set set, which is not there");
}

}  // namespace
}  // namespace bth::algo::testing
