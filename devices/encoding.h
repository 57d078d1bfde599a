// Devices of a pod as annotations of HAMi's device plugins spell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/devices.h"

namespace bth::devices {

// "id,type,memory,cores:" for each device, containers apart by ';'. `ended`: a ';' after each.
std::string EncodeDevices(const model::HeldDevices& held, std::string_view type, bool ended);
// What cannot be read is left out; at most kDevicesMax.
std::vector<model::HeldDevice> DecodeDevices(std::string_view text);

}  // namespace bth::devices
