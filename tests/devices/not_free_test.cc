// Whether a node can still give what was chosen.
#include "tests/devices/objects.h"

namespace bth::devices {
namespace {

using testing::Card;

model::PodDevices Holding(std::vector<model::HeldDevice> devices) {
  return {.held = {{.devices = std::move(devices)}}};
}

TEST_CASE("devices: why what was chosen is not free any more", "[devices]") {
  model::NodeDevices node;
  node.pools.push_back({.devices = {Card("a", 1000, 2), Card("b", 1000, 2)}});
  model::DeviceHolders holders;
  holders.push_back({.devices = std::make_shared<const model::PodDevices>(
                         Holding({{.id = "a", .memory = 600, .cores = 50}}))});
  const auto why = [&](const model::PodDevices& pod) { return WhyNotFree(node, &holders, pod); };
  CHECK(why(Holding({{.id = "a", .memory = 400, .cores = 50}})).empty());
  CHECK(why(Holding({{.id = "b", .memory = 1000, .cores = 100}})).empty());
  CHECK(why(Holding({{.id = "a", .memory = 401}})) == "device a was given away");
  CHECK(why(Holding({{.id = "a", .cores = 51}})) == "device a was given away");
  CHECK(why(Holding({{.id = "a"}, {.id = "a"}})) == "device a was given away");
  CHECK(why(Holding({{.id = "c"}})) == "device c is gone");
  CHECK(why({.held = {{.kind = {model::DeviceFamily::kGpuShare, 0}}}}) ==
        "it has no such devices any more");
  CHECK(WhyNotFree(node, nullptr, Holding({{.id = "a", .memory = 1000}})).empty());
}

TEST_CASE("devices: cores of a card that software slices are parts of a hundred", "[devices]") {
  for (const bool soft : {true, false}) {
    model::NodeDevices node;
    node.pools.push_back(
        {.soft = soft, .devices = {{.id = "a", .slots = 7, .memory = 1000, .cores = 8}}});
    CHECK(WhyNotFree(node, nullptr, Holding({{.id = "a", .cores = 100}})).empty() == soft);
    CHECK_FALSE(WhyNotFree(node, nullptr, Holding({{.id = "a", .cores = 101}})).empty());
  }
}

TEST_CASE("devices: instances of a card that is cut are free or not, whatever they sum up to",
          "[devices]") {
  model::NodeDevices node;
  model::DevicePool pool{.devices = {Card("a", 1000)}};
  pool.geometry =
      std::make_shared<const model::MigGeometry>(model::MigGeometry{{"g", {{"half", 510, 2}}}});
  node.pools.push_back(std::move(pool));
  model::DeviceHolders holders;
  holders.push_back({.devices = std::make_shared<const model::PodDevices>(
                         Holding({{.id = "a[g-0]", .memory = 510}}))});
  CHECK(WhyNotFree(node, &holders, Holding({{.id = "a[g-1]", .memory = 510}})).empty());
  CHECK(WhyNotFree(node, &holders, Holding({{.id = "a[g-0]", .memory = 510}})) ==
        "device a[g-0] was given away");
}

}  // namespace
}  // namespace bth::devices
