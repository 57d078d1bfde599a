// Any bytes as annotations of virtual GPUs: the first line as a node's register, the rest as what a
// pod holds. No crash, and what is read is within its bounds and adds up.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "devices/encoding.h"
#include "devices/pool_use.h"
#include "devices/vgpu/vgpu.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  const std::string_view held_text =
      end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  devices::vgpu::Registered found = devices::vgpu::ReadRegister(text.substr(0, end));
  BTH_CHECK(found.devices.size() <= devices::kDevicesMax);
  for (size_t i = 0; i < found.devices.size(); ++i) {
    const model::Device& device = found.devices[i];
    BTH_CHECK(device.slots >= 0 && device.memory >= 0 && device.memory <= devices::kMemoryMax);
    for (size_t j = 0; j < i; ++j) BTH_CHECK(found.devices[j].id != device.id);
  }
  model::PodDevices pod;
  pod.held.push_back({.kind = devices::vgpu::kKind, .devices = devices::DecodeDevices(held_text)});
  BTH_CHECK(pod.held[0].devices.size() <= devices::kDevicesMax);
  for (const model::HeldDevice& device : pod.held[0].devices) {
    BTH_CHECK(device.memory >= 0 && device.memory <= devices::kMemoryMax && device.cores >= 0);
  }
  // What is written is read again.
  const std::string written = devices::EncodeDevices(pod.held[0], "NVIDIA", false);
  const std::vector<model::HeldDevice> again = devices::DecodeDevices(written);
  BTH_CHECK(again.size() == pod.held[0].devices.size());
  for (size_t i = 0; i < again.size(); ++i) {
    BTH_CHECK(again[i].id == pod.held[0].devices[i].id);
    BTH_CHECK(again[i].memory == pod.held[0].devices[i].memory);
  }
  const model::DevicePool pool{.kind = devices::vgpu::kKind, .devices = std::move(found.devices)};
  devices::PoolUse use(pool);
  use.Add(model::TaskId::FromIndex(0), pod, false);
  use.SetLeaving(model::TaskId::FromIndex(0), true);
  for (const devices::DeviceUse& left : use.Columns(true)) BTH_CHECK(left == devices::DeviceUse());
  use.Remove(model::TaskId::FromIndex(0));
  for (const devices::DeviceUse& left : use.Columns(false)) BTH_CHECK(left == devices::DeviceUse());
  return 0;
}
