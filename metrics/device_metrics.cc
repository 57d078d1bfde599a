#include "metrics/device_metrics.h"

namespace bth::metrics {
namespace {

// Label order of the text is alphabetical anyway; the names are Volcano's.
LabelSet DeviceLabels(std::string_view node, std::string_view device) {
  return {{"devID", std::string(device)}, {"NodeName", std::string(node)}};
}

LabelSet PodLabels(std::string_view node, std::string_view device, std::string_view pod) {
  LabelSet labels = DeviceLabels(node, device);
  labels.emplace_back("podName", std::string(pod));
  return labels;
}

}  // namespace

DeviceMetrics::DeviceMetrics(Registry& registry)
    : shared_number_(registry.AddGauge("volcano_vgpu_device_shared_number",
                                       "Pods that share the vGPU device.")),
      allocated_memory_(registry.AddGauge("volcano_vgpu_device_allocated_memory",
                                          "Memory of the vGPU device given to pods.")),
      allocated_cores_(registry.AddGauge("volcano_vgpu_device_allocated_cores",
                                         "Cores of the vGPU device given to pods.")),
      memory_limit_(
          registry.AddGauge("volcano_vgpu_device_memory_limit", "Memory of the vGPU device.")),
      pod_memory_(registry.AddGauge("volcano_vgpu_device_memory_allocation_for_a_certain_pod",
                                    "Memory of the vGPU device given to the pod.")),
      pod_cores_(registry.AddGauge("volcano_vgpu_device_core_allocation_for_a_certain_pod",
                                   "Cores of the vGPU device given to the pod.")) {}

void DeviceMetrics::Reset(const DeviceKey& device, int64_t memory_limit) {
  const std::lock_guard lock(mutex_);
  Device* row = FindOrAdd(device);
  if (row == nullptr) return;
  RemovePods({std::string(device.node), std::string(device.device)}, *row);
  row->limit.Set(static_cast<double>(memory_limit));
  row->shared.Set(0);
  row->memory.Set(0);
  row->cores.Set(0);
}

void DeviceMetrics::SetPod(const DeviceKey& device, std::string_view pod, const DeviceUse& use,
                           const DeviceUse& total) {
  const std::lock_guard lock(mutex_);
  Device* row = FindOrAdd(device);
  if (row == nullptr) return;
  auto found = row->pods.find(pod);
  if (found == row->pods.end()) {
    if (row->pods.size() >= kPodsPerDeviceMax) return;
    const LabelSet labels = PodLabels(device.node, device.device, pod);
    found = row->pods
                .emplace(std::string(pod),
                         std::make_pair(pod_memory_.With(labels), pod_cores_.With(labels)))
                .first;
  }
  found->second.first.Set(static_cast<double>(use.memory));
  found->second.second.Set(static_cast<double>(use.cores));
  row->shared.Set(static_cast<double>(row->pods.size()));
  row->memory.Set(static_cast<double>(total.memory));
  row->cores.Set(static_cast<double>(total.cores));
}

void DeviceMetrics::RemovePod(const DeviceKey& device, std::string_view pod,
                              const DeviceUse& total) {
  const std::lock_guard lock(mutex_);
  const auto row = devices_.find({std::string(device.node), std::string(device.device)});
  if (row == devices_.end()) return;
  const auto found = row->second.pods.find(pod);
  if (found != row->second.pods.end()) {
    const LabelSet labels = PodLabels(device.node, device.device, pod);
    pod_memory_.Remove(labels);
    pod_cores_.Remove(labels);
    row->second.pods.erase(found);
  }
  row->second.shared.Set(static_cast<double>(row->second.pods.size()));
  row->second.memory.Set(static_cast<double>(total.memory));
  row->second.cores.Set(static_cast<double>(total.cores));
}

void DeviceMetrics::RemoveNode(std::string_view node) {
  const std::lock_guard lock(mutex_);
  auto row = devices_.lower_bound({std::string(node), std::string()});
  while (row != devices_.end() && row->first.first == node) {
    RemovePods(row->first, row->second);
    const LabelSet labels = DeviceLabels(row->first.first, row->first.second);
    for (const GaugeFamily& family :
         {shared_number_, allocated_memory_, allocated_cores_, memory_limit_}) {
      family.Remove(labels);
    }
    row = devices_.erase(row);
  }
}

DeviceMetrics::Device* DeviceMetrics::FindOrAdd(const DeviceKey& key) {
  const Key id{std::string(key.node), std::string(key.device)};
  const auto found = devices_.find(id);
  if (found != devices_.end()) return &found->second;
  if (devices_.size() >= kDevicesMax) return nullptr;
  const LabelSet labels = DeviceLabels(key.node, key.device);
  Device row{shared_number_.With(labels),
             allocated_memory_.With(labels),
             allocated_cores_.With(labels),
             memory_limit_.With(labels),
             {}};
  return &devices_.emplace(id, std::move(row)).first->second;
}

void DeviceMetrics::RemovePods(const Key& key, Device& device) {
  for (const auto& [pod, gauges] : device.pods) {
    const LabelSet labels = PodLabels(key.first, key.second, pod);
    pod_memory_.Remove(labels);
    pod_cores_.Remove(labels);
  }
  device.pods.clear();
}

}  // namespace bth::metrics
