// What claims ask for by class, and what a quota says to it.
#include "algo/device_amounts.h"

#include "tests/support/catch.h"

namespace bth::algo {
namespace {

using model::DeviceClaimFacts;
using model::DeviceQuota;

model::DeviceRequestFacts Request(std::string device_class, int64_t count, int64_t memory = 0) {
  model::DeviceDemandFacts demand;
  demand.device_class = std::move(device_class);
  demand.count = count;
  if (memory > 0) demand.capacities.push_back({.name = "memory", .milli = memory});
  model::DeviceRequestFacts request;
  request.demands = {demand};
  return request;
}

DeviceClaimFacts Claim(std::vector<model::DeviceRequestFacts> requests) {
  DeviceClaimFacts claim;
  claim.requests = std::move(requests);
  return claim;
}

TEST_CASE("device amounts: requests of a class add up, with what they want of each device",
          "[algo][devices]") {
  const DeviceClaimFacts claim =
      Claim({Request("gpu", 2, 500), Request("gpu", 1), Request("nic", 3)});
  const DeviceAmounts amounts = AmountsOf(claim, /*parts=*/true);
  REQUIRE(amounts.size() == 2);
  CHECK(amounts.at("gpu").count == 3);
  CHECK(amounts.at("gpu").amounts ==
        std::vector<std::pair<std::string, int64_t>>{{"memory", 1000}});
  CHECK(amounts.at("nic").count == 3);
  CHECK(AmountsOf(claim, /*parts=*/false).at("gpu").amounts.empty());
}

TEST_CASE("device amounts: alternatives and all devices are no amounts", "[algo][devices]") {
  model::DeviceRequestFacts either = Request("gpu", 2);
  either.prioritized = true;
  model::DeviceRequestFacts all = Request("gpu", 0);
  all.demands[0].all = true;
  CHECK(AmountsOf(Claim({either, all}), true).empty());
}

TEST_CASE("device amounts: what is taken away leaves nothing behind", "[algo][devices]") {
  const DeviceAmounts more = AmountsOf(Claim({Request("gpu", 2, 500), Request("nic", 1)}), true);
  DeviceAmounts sum;
  Add(more, 3, &sum);
  CHECK(sum.at("gpu").count == 6);
  CHECK(sum.at("gpu").amounts[0].second == 3000);
  Add(more, -3, &sum);
  CHECK(sum.empty());
}

TEST_CASE("device amounts: sums stay within 64 bits", "[algo][devices]") {
  DeviceAmounts sum;
  Add(AmountsOf(Claim({Request("gpu", INT64_MAX / 2, INT64_MAX / 2)}), true), 1'000'000, &sum);
  CHECK(sum.at("gpu").count == INT64_MAX);
  CHECK(sum.at("gpu").amounts[0].second == INT64_MAX);
}

TEST_CASE("device amounts: a quota limits the classes that it names", "[algo][devices]") {
  const DeviceAmounts held = AmountsOf(Claim({Request("gpu", 1, 500)}), true);
  const auto beyond = [&](DeviceQuota quota, model::DeviceRequestFacts more) {
    return FirstBeyond(quota, held, AmountsOf(Claim({std::move(more)}), true));
  };
  const DeviceQuota two{.classes = {{.device_class = "gpu", .count = 2, .amounts = {}}}};
  CHECK(beyond(two, Request("gpu", 1)) == std::nullopt);
  CHECK(beyond(two, Request("gpu", 2)) == "deviceclass/gpu");
  CHECK(beyond(two, Request("nic", 100)) == std::nullopt);
  const DeviceQuota memory{
      .classes = {{.device_class = "gpu", .count = 0, .amounts = {{"memory", 1000}}}}};
  CHECK(beyond(memory, Request("gpu", 5, 100)) == std::nullopt);
  CHECK(beyond(memory, Request("gpu", 1, 501)) == "memory.deviceclass/gpu");
}

TEST_CASE("device amounts: what is kept and asked for without end is beyond any quota",
          "[algo][devices]") {
  const DeviceQuota eight{.classes = {{.device_class = "gpu", .count = 8, .amounts = {}}}};
  const DeviceAmounts most = AmountsOf(Claim({Request("gpu", INT64_MAX)}), true);
  const DeviceAmounts few = AmountsOf(Claim({Request("gpu", 4)}), true);
  CHECK(FirstBeyond(eight, most, most) == "deviceclass/gpu");
  CHECK(FirstBeyond(eight, most, few) == "deviceclass/gpu");
  CHECK(FirstBeyond(eight, {}, few) == std::nullopt);
  CHECK(FirstBeyond(eight, few, few) == std::nullopt);
}

TEST_CASE("device amounts: a quota's row has devices and what they have, in any order",
          "[algo][devices]") {
  const DeviceAmounts request = AmountsOf(Claim({Request("gpu", 2, 60)}), true);
  const DeviceQuota both{
      .classes = {{.device_class = "gpu", .count = 2, .amounts = {{"memory", 120}}}}};
  CHECK(FirstBeyond(both, {}, request) == std::nullopt);
  // Of a device that is kept for others.
  const DeviceAmounts kept = AmountsOf(Claim({Request("gpu", 1, 60)}), true);
  CHECK(FirstBeyond(both, kept, request) == "deviceclass/gpu");
  // A dimension that the row does not name is not to be had.
  const DeviceQuota other{
      .classes = {{.device_class = "gpu", .count = 9, .amounts = {{"cores", 120}}}}};
  CHECK(FirstBeyond(other, {}, request) == "memory.deviceclass/gpu");
}

}  // namespace
}  // namespace bth::algo
