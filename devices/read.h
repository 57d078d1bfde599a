// What objects say of shared devices, of all families that count.
#pragma once

#include <memory>
#include <string>

#include "api/model/device_settings.h"
#include "api/model/devices.h"
#include "api/types/node.h"
#include "api/types/pod.h"

namespace bth::devices {

// Null: nothing.
std::shared_ptr<const model::NodeDevices> ReadNode(const types::Node& node,
                                                   const model::DeviceSettings& settings);
std::shared_ptr<const model::DeviceWishes> ReadWishes(const types::Pod& pod,
                                                      const model::DeviceSettings& settings);
std::shared_ptr<const model::PodDevices> ReadHeld(const types::Pod& pod,
                                                  const model::DeviceSettings& settings);
// Amounts of this resource are not counted on nodes, but by its family.
bool IsIgnored(std::string_view resource, const model::DeviceSettings& settings);
// Equal keys mean equal wishes.
std::string KeyOf(const model::DeviceWishes& wishes);

// "<namespace>/<pod group>"; empty: the pod has none.
std::string GroupOf(const types::ObjectMeta& pod);
// Exclusive rules whose labels the pod has, one bit each.
uint64_t RulesOf(const types::ObjectMeta& pod, const model::DeviceSettings& settings);

}  // namespace bth::devices
