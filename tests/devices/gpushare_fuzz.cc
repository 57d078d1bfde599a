// Any bytes as annotations of shared cards: the first line as a node's, the second as a pod's. No
// crash, and no card that the node does not have.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "devices/family.h"
#include "devices/read.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  model::DeviceSettings settings;
  settings.gpu_memory = true;
  types::Node node;
  node.status.capacity.Set("volcano.sh/gpu-memory", types::Quantity::FromValue(8000));
  node.status.capacity.Set("volcano.sh/gpu-number", types::Quantity::FromValue(8));
  node.meta.annotations.Set("volcano.sh/gpu-unhealthy-ids", std::string(text.substr(0, end)));
  const auto devices = devices::ReadNode(node, settings);
  BTH_CHECK(devices != nullptr && devices->pools[0].devices.size() <= 8);
  types::Pod pod;
  pod.spec.containers.emplace_back();
  pod.spec.containers[0].resources.limits.Set("volcano.sh/gpu-memory",
                                              types::Quantity::FromValue(10));
  if (end != std::string_view::npos) {
    pod.meta.annotations.Set("volcano.sh/gpu-index", std::string(text.substr(end + 1)));
  }
  const auto held = devices::ReadHeld(pod, settings);
  if (held == nullptr) return 0;
  BTH_CHECK(held->held[0].devices.size() <= devices::kDevicesMax);
  std::set<std::string> ids;
  for (const auto& card : held->held[0].devices) BTH_CHECK(ids.insert(card.id).second);
  return 0;
}
