// The variable `device` of device selectors (resource.k8s.io): what expressions about a device may
// ask, and its value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/environment.h"

namespace bth::cel {

// Kubernetes' environment with `device`: driver, attributes, capacity, allowMultipleAllocations.
// Shared.
std::shared_ptr<const Environment> DeviceEnvironment();

// Kubernetes' limits of one expression: its length in bytes, and its cost on one device.
inline constexpr size_t kDeviceExpressionMax = 10 * 1024;
inline constexpr uint64_t kDeviceExpressionCost = 1'000'000;

struct DeviceDescription {
  struct Entry {
    std::string_view full_name;  // "domain/name"
    Value value;
  };
  std::string_view driver;
  std::vector<Entry> attributes;
  std::vector<Entry> capacity;
  bool shared = false;  // allowMultipleAllocations
};
// The value of `device`. The texts must outlive it. Domains that are not there are empty maps, so
// that has() can be asked of any attribute.
Value DeviceValue(const DeviceDescription& device);

// Values of the libraries' types; an error where the text is none.
Value SemverOf(std::string_view text);
Value QuantityOf(std::string_view text);

}  // namespace bth::cel
