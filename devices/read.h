// What objects say of shared devices, of all families that count.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/model/chip_reports.h"
#include "api/model/device_settings.h"
#include "api/model/devices.h"
#include "api/types/config_map.h"
#include "api/types/node.h"
#include "api/types/pod.h"

namespace bth::devices {

// Null: nothing.
std::shared_ptr<const model::NodeDevices> ReadNode(const types::Node& node,
                                                   const model::DeviceSettings& settings);
std::shared_ptr<const model::PodDeviceRequests> ReadRequests(const types::Pod& pod,
                                                             const model::DeviceSettings& settings);
std::shared_ptr<const model::PodDevices> ReadHeld(const types::Pod& pod,
                                                  const model::DeviceSettings& settings);
// What a ConfigMap tells of the chips of nodes, if any; kInvalidArgument: it cannot be read.
absl::StatusOr<std::vector<model::ChipNews>> ReadChips(const types::ConfigMap& object,
                                                       const model::DeviceSettings& settings);
// Where such ConfigMaps are, and with which label.
struct ChipSource {
  std::string_view ns;
  std::string_view label;  // "key=value"
};
absl::Span<const ChipSource> ChipSourcesOf(const model::DeviceSettings& settings);
// By its labels, some settings make it one of them. `label` gives the value of a key, or nothing.
bool IsChipSource(absl::FunctionRef<std::string_view(std::string_view key)> label);
// Amounts of this resource are not counted on nodes, but by its family.
bool IsIgnored(std::string_view resource, const model::DeviceSettings& settings);
// Equal keys mean equal requests.
std::string KeyOf(const model::PodDeviceRequests& asked);

// "<namespace>/<pod group>"; empty: the pod has none.
std::string GroupOf(const types::ObjectMeta& pod);
// Exclusive rules whose labels the pod has, one bit each.
uint64_t RulesOf(const types::ObjectMeta& pod, const model::DeviceSettings& settings);

}  // namespace bth::devices
