// What the shared devices of nodes are used for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "metrics/registry.h"

namespace bth::metrics {

struct DeviceFigures {
  std::string id;
  int64_t memory_limit = 0;
  int64_t shared = 0;  // Containers that share it.
  int64_t memory = 0;
  int64_t cores = 0;
  struct Use {
    int64_t memory = 0;
    int64_t cores = 0;
  };
  std::map<std::string, Use> pods;  // By name.
};

// Volcano's gauges of virtual GPUs, `volcano_vgpu_…`; beyond kDevicesMax devices further nodes have
// none. Lives as long as its registry. Thread: one.
class DeviceMetrics {
 public:
  static constexpr size_t kDevicesMax = 100'000;

  explicit DeviceMetrics(Registry& registry);

  // All that is told of a node from now on; nothing: its series go. False: there are too many.
  bool SetNode(std::string_view node, absl::Span<const DeviceFigures> devices);

 private:
  void Remove(const std::string& node, const DeviceFigures& device);

  GaugeFamily shared_, memory_, cores_, limit_, pod_memory_, pod_cores_;
  absl::flat_hash_map<std::string, std::vector<DeviceFigures>> shown_;
  size_t devices_ = 0;
};

}  // namespace bth::metrics
