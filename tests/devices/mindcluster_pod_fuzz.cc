// Any bytes as what a pod says of the chips that it holds: the first line as the scheduler's
// annotation, the second as the device plugin's. No crash, and nothing beyond a chip's bounds;
// others are still answered.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "devices/mindcluster/mindcluster.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  model::DeviceSettings settings;
  settings.mind_cluster = true;
  types::Pod pod;
  pod.meta.labels["ring-controller.atlas"] = "ascend-310P";
  pod.spec.containers.emplace_back();
  for (auto* list :
       {&pod.spec.containers[0].resources.limits, &pod.spec.containers[0].resources.requests}) {
    list->Set("huawei.com/npu-core", types::Quantity::FromValue(2));
  }
  pod.meta.annotations.Set("huawei.com/npu-core", std::string(text.substr(0, end)));
  if (end != std::string_view::npos) {
    pod.meta.annotations.Set("huawei.com/AscendReal", std::string(text.substr(end + 1)));
  }
  model::NodeDevices node;
  node.layout = {.chips = 4, .cores = 8, .cpus = 7};
  const model::ChipReport report{.free = {0, 1, 2, 3}, .broken = {}};
  const auto devices =
      model::WithChips(std::make_shared<const model::NodeDevices>(node), &report, false);
  devices::NodeUse use(*devices, nullptr);
  const auto held = devices::ReadHeld(pod, settings);
  if (held != nullptr) {
    std::set<std::string> ids;
    for (const auto& part : held->held[0].devices) {
      BTH_CHECK(ids.insert(part.id).second);
      BTH_CHECK(part.cores >= 0 && part.cores <= 1024);
      BTH_CHECK(part.memory > 0 && part.memory <= 1024);
    }
    BTH_CHECK(ids.size() <= devices::kDevicesMax);
    use.Add(model::TaskId::FromIndex(0), *held, false);
  }
  const auto asked = devices::ReadRequests(pod, settings);
  devices::Choice choice;
  const devices::Question question{
      .use = use.pools()[0], .request = asked->requests[0], .settings = settings};
  if (devices::mindcluster::ChooseChips(question, &choice)) {
    BTH_CHECK(choice.devices.size() == 1 && choice.devices[0].device < 4);
  } else {
    BTH_CHECK(choice.refusal.has_value());
  }
  return 0;
}
