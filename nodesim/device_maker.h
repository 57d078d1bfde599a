// Simulated devices as objects: what drivers of the group resource.k8s.io would publish.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/types/json.h"
#include "client/api_client.h"

namespace bth::nodesim {

inline constexpr int64_t kDevicesMax = 128;  // Of one driver on one node: what a slice may have.

// Of "gpu.example.com=4": the driver, and how many devices of it each node has.
struct DeviceOffer {
  std::string driver;
  int64_t count = 0;
};
// Errors tell what is wrong with the text.
absl::StatusOr<DeviceOffer> ParseDeviceOffer(const std::string& text);

// The ResourceSlice of a node, which goes with it: devices "device-0" …, each with the attributes
// index and model, and 16Gi of memory.
types::Json MakeSlice(const DeviceOffer& offer, const std::string& node,
                      const std::string& node_uid);
// The DeviceClass of all devices of the driver, which has its name.
types::Json MakeDeviceClass(const DeviceOffer& offer);

// Creates the classes that are missing.
net::Awaitable<absl::Status> EnsureDeviceClasses(client::ApiClient& api,
                                                 std::vector<std::string> offers);
// Creates the slices of a node that are missing.
net::Awaitable<absl::Status> EnsureSlices(client::ApiClient& api, std::vector<std::string> offers,
                                          std::string node);

}  // namespace bth::nodesim
