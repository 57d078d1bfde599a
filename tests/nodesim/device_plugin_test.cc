// What a pod's annotations ask of a simulated device plugin.
#include "nodesim/device_plugin.h"

#include "tests/support/catch.h"

namespace bth::nodesim {
namespace {

TEST_CASE("device plugin: what of a pod's devices is still to be told", "[nodesim]") {
  struct Case {
    std::string told;
    std::string real;
    std::string expect;
  };
  const auto c = GENERATE(values<Case>({
      {"0", "", "Ascend310P-0"},
      {"0,3", "", "Ascend310P-0,Ascend310P-3"},
      {"1-vir02_1c", "", "Ascend310P-vir02_1c-100-1"},
      {"1-vir02_1c", "Ascend310P-vir02_1c-100-1", ""},
      {"", "", ""},
  }));
  CAPTURE(c.told);
  types::Pod pod;
  pod.meta.annotations["huawei.com/npu-core"] = c.told;
  pod.meta.annotations["huawei.com/AscendReal"] = c.real;
  const DeviceOrder order = DeviceOrderOf(pod);
  CHECK(order.chips == c.expect);
  CHECK(order.untold() == !c.expect.empty());
  CHECK_FALSE(order.locked);
}

TEST_CASE("device plugin: phases, and nodes that may be locked", "[nodesim]") {
  types::Pod pod;
  CHECK(DeviceOrderOf(pod).empty());
  pod.status.phase = "Pending";
  pod.meta.annotations["volcano.sh/gpu-index"] = "0";
  CHECK(DeviceOrderOf(pod).locked);
  CHECK_FALSE(DeviceOrderOf(pod).untold());
  pod.status.phase = "Running";
  CHECK(DeviceOrderOf(pod).empty());
  pod.meta.annotations["volcano.sh/bind-phase"] = "allocating";
  CHECK(DeviceOrderOf(pod).phases == std::vector<std::string>{"volcano.sh/bind-phase"});
  CHECK(DeviceOrderOf(pod).locked);
  pod.meta.annotations["volcano.sh/bind-phase"] = "success";
  CHECK(DeviceOrderOf(pod).empty());
}

}  // namespace
}  // namespace bth::nodesim
