// The ConfigMap in which a cluster says what its shared devices are called and how cards are cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/device_settings.h"

namespace bth::devices {

inline constexpr std::string_view kConfigKey = "device-config.yaml";  // In its data.

// Without a ConfigMap: virtual GPUs under their usual names, cut in no way, and one Ascend chip.
void UseBuiltinConfig(model::DeviceSettings* out);
// Puts what `yaml` says in the place of that. kInvalidArgument names what is wrong; then nothing is
// changed.
absl::Status UseConfig(std::string_view yaml, model::DeviceSettings* out);

}  // namespace bth::devices
