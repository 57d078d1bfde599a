#include "plugins/deviceshare/gauges.h"

#include <vector>

#include "base/next_different_row.h"
#include "metrics/scheduler_metrics.h"

namespace bth::plugins::deviceshare {
namespace {

using metrics::DeviceFigures;

const model::DevicePool* VgpusOf(const model::NodeRow& row) {
  if (row.facts == nullptr || row.facts->devices == nullptr) return nullptr;
  return row.facts->devices->Find({model::DeviceFamily::kVgpu, 0});
}

std::vector<DeviceFigures> FiguresOf(const model::Snapshot& base, const model::NodeRow& row) {
  std::vector<DeviceFigures> out;
  const model::DevicePool* pool = VgpusOf(row);
  if (pool == nullptr) return out;
  for (const model::Device& device : pool->devices) {
    out.push_back({.id = device.id, .memory_limit = device.memory});
  }
  if (row.device_holders == nullptr) return out;
  for (const model::DeviceHolder& holder : *row.device_holders) {
    const std::string& name = base.tasks[holder.task].names->name;
    for (const model::HeldDevices& held : holder.devices->held) {
      if (held.kind != pool->kind) continue;
      for (const model::HeldDevice& part : held.devices) {
        const int32_t number = FindDevice(*pool, part.id);
        if (number < 0) continue;
        DeviceFigures& device = out[static_cast<size_t>(number)];
        ++device.shared;
        device.memory += part.memory;
        device.cores += part.cores;
        DeviceFigures::Use& own = device.pods[name];
        own.memory += part.memory;
        own.cores += part.cores;
      }
    }
  }
  return out;
}

bool SameDevices(const model::NodeRow& a, const model::NodeRow& b) {
  const auto devices = [](const model::NodeRow& row) {
    return row.facts == nullptr ? nullptr : row.facts->devices.get();
  };
  return devices(a) == devices(b) && a.device_holders == b.device_holders;
}

}  // namespace

void DeviceGauges::Tell(const framework::Session& session) {
  metrics::SchedulerMetrics* metrics = session.context().metrics;
  if (metrics == nullptr) return;
  const model::Snapshot& base = session.base();
  bool all_fit = true;
  for (size_t row = NextRowThatMayDiffer(base.nodes, told_, 0); row < base.nodes.size();
       row = NextRowThatMayDiffer(base.nodes, told_, row + 1)) {
    const model::NodeId node = model::NodeId::FromIndex(row);
    const model::NodeRow& now = base.nodes[node];
    const model::NodeRow before = told_.Contains(node) ? told_[node] : model::NodeRow();
    if (SameDevices(now, before)) continue;
    // The slot of a node that is gone may be another's by now.
    const bool renamed =
        before.facts != nullptr && (now.facts == nullptr || now.facts->name != before.facts->name);
    if (renamed) metrics->devices().SetNode(before.facts->name, {});
    if (now.facts == nullptr) continue;
    all_fit &= metrics->devices().SetNode(now.facts->name, FiguresOf(base, now));
  }
  if (!all_fit) metrics->LimitReached("metric_devices");
  told_ = base.nodes;
}

}  // namespace bth::plugins::deviceshare
