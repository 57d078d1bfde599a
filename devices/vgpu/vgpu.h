// HAMi's virtual GPUs: shares of NVIDIA cards by software (hami-core), or instances of cards that
// are cut (MIG).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/family.h"

namespace bth::devices::vgpu {

inline constexpr model::DeviceKind kKind{model::DeviceFamily::kVgpu, 0};
inline constexpr std::string_view kHamiCore = "hami-core";
inline constexpr std::string_view kMig = "mig";

const Family& TheFamily();

// The devices of annotation volcano.sh/node-vgpu-register and whether they are cut; nothing when
// the annotation cannot be read.
struct Registered {
  std::vector<model::Device> devices;
  bool mig = false;
};
Registered ReadRegister(std::string_view text);

// selection.cc: the device visiting order and all that keeps a pod off a device.
bool ChooseDevices(const Question& question, Choice* out);
bool MayUseId(const model::PodDeviceRequest& request, std::string_view id);
bool MayUseType(const model::PodDeviceRequest& request, std::string_view type);

}  // namespace bth::devices::vgpu
