// Gauges of shared accelerators.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "metrics/registry.h"

namespace bth::metrics {

struct DeviceKey {
  std::string_view node;
  std::string_view device;
};

// Memory in the unit of the device's resource name (MiB as a rule), cores in percent.
struct DeviceUse {
  int64_t memory = 0;
  int64_t cores = 0;
};

// vGPU devices: one set of series per device, and one per device and pod. Lives as long as its
// registry. Thread: any. More than kDevicesMax devices or kPodsPerDeviceMax pods are left out.
class DeviceMetrics {
 public:
  static constexpr size_t kDevicesMax = 100'000;
  static constexpr size_t kPodsPerDeviceMax = 256;

  explicit DeviceMetrics(Registry& registry);

  // A device was read from its node: its limit is known, nothing is allocated, no pod is on it.
  void Reset(const DeviceKey& device, int64_t memory_limit);
  // `pod` uses the device as stated; `total` is what all pods use. A pod not seen before adds one
  // to the shared number.
  void SetPod(const DeviceKey& device, std::string_view pod, const DeviceUse& use,
              const DeviceUse& total);
  // The pod left the device; the shared number falls by one.
  void RemovePod(const DeviceKey& device, std::string_view pod, const DeviceUse& total);
  // All series of all devices of the node.
  void RemoveNode(std::string_view node);

 private:
  struct Device {
    Gauge shared, memory, cores, limit;
    std::map<std::string, std::pair<Gauge, Gauge>, std::less<>> pods;
  };
  using Key = std::pair<std::string, std::string>;  // Node, device.
  Device* FindOrAdd(const DeviceKey& key);          // Null when there is no room.
  void RemovePods(const Key& key, Device& device);

  GaugeFamily shared_number_, allocated_memory_, allocated_cores_, memory_limit_;
  GaugeFamily pod_memory_, pod_cores_;
  std::mutex mutex_;
  std::map<Key, Device> devices_;
};

}  // namespace bth::metrics
