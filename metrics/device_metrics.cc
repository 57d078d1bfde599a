#include "metrics/device_metrics.h"

namespace bth::metrics {
namespace {

LabelSet DeviceLabels(const std::string& node, const std::string& device) {
  return {{"NodeName", node}, {"devID", device}};
}
LabelSet PodLabels(const std::string& node, const std::string& device, const std::string& pod) {
  return {{"NodeName", node}, {"devID", device}, {"podName", pod}};
}
double Number(int64_t value) {
  return static_cast<double>(value);
}

}  // namespace

DeviceMetrics::DeviceMetrics(Registry& registry)
    : shared_(registry.AddGauge("volcano_vgpu_device_shared_number",
                                "Containers that share a virtual GPU's card.")),
      memory_(registry.AddGauge("volcano_vgpu_device_allocated_memory",
                                "Memory of a card that pods hold, in MiB.")),
      cores_(registry.AddGauge("volcano_vgpu_device_allocated_cores",
                               "Cores of a card that pods hold, in percent.")),
      limit_(
          registry.AddGauge("volcano_vgpu_device_memory_limit", "Memory that a card has, in MiB.")),
      pod_memory_(registry.AddGauge("volcano_vgpu_device_memory_allocation_for_a_certain_pod",
                                    "Memory of a card that one pod holds, in MiB.")),
      pod_cores_(registry.AddGauge("volcano_vgpu_device_core_allocation_for_a_certain_pod",
                                   "Cores of a card that one pod holds, in percent.")) {}

bool DeviceMetrics::SetNode(std::string_view node, absl::Span<const DeviceFigures> devices) {
  const std::string name(node);
  const auto known = shown_.find(name);
  if (known != shown_.end()) {
    for (const DeviceFigures& before : known->second) Remove(name, before);
    devices_ -= known->second.size();
    shown_.erase(known);
  }
  if (devices.empty()) return true;
  if (devices_ + devices.size() > kDevicesMax) return false;
  devices_ += devices.size();
  for (const DeviceFigures& device : devices) {
    const LabelSet labels = DeviceLabels(name, device.id);
    shared_.With(labels).Set(Number(device.shared));
    memory_.With(labels).Set(Number(device.memory));
    cores_.With(labels).Set(Number(device.cores));
    limit_.With(labels).Set(Number(device.memory_limit));
    for (const auto& [pod, use] : device.pods) {
      const LabelSet of_pod = PodLabels(name, device.id, pod);
      pod_memory_.With(of_pod).Set(Number(use.memory));
      pod_cores_.With(of_pod).Set(Number(use.cores));
    }
  }
  shown_[name].assign(devices.begin(), devices.end());
  return true;
}

void DeviceMetrics::Remove(const std::string& node, const DeviceFigures& device) {
  const LabelSet labels = DeviceLabels(node, device.id);
  for (const GaugeFamily* family : {&shared_, &memory_, &cores_, &limit_}) family->Remove(labels);
  for (const auto& [pod, use] : device.pods) {
    const LabelSet of_pod = PodLabels(node, device.id, pod);
    pod_memory_.Remove(of_pod);
    pod_cores_.Remove(of_pod);
  }
}

}  // namespace bth::metrics
