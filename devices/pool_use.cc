#include "devices/pool_use.h"

#include <algorithm>

#include "devices/vgpu/mig.h"

namespace bth::devices {

using model::TaskId;

UseColumns PoolUse::Columns(bool future) const {
  UseColumns out(all_.begin(), all_.end());
  if (!future || leaves_ == 0) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].slots -= leaving_[i].slots;
    out[i].memory -= leaving_[i].memory;
    out[i].cores -= leaving_[i].cores;
  }
  return out;
}

void PoolUse::Count(const Holder& holder, int32_t sign) {
  const auto add = [&](DeviceUse& to) {
    to.slots += sign * holder.use.slots;
    to.memory += sign * holder.use.memory;
    to.cores += sign * holder.use.cores;
  };
  const auto device = static_cast<size_t>(holder.device);
  add(all_[device]);
  if (!holder.leaving) return;
  add(leaving_[device]);
  leaves_ += sign;
}

void PoolUse::Add(TaskId task, const model::PodDevices& pod, bool leaving) {
  for (const model::HeldDevices& held : pod.held) {
    if (held.kind != pool_->kind) continue;
    for (const model::HeldDevice& part : held.devices) {
      const int32_t device = FindDevice(*pool_, part.id);
      if (device < 0) continue;
      Holder holder{.task = task,
                    .device = device,
                    .use = {.slots = 1, .memory = part.memory, .cores = part.cores},
                    .mark = part.mark,
                    .leaving = leaving,
                    .group = pod.group,
                    .rules = pod.rules};
      if (pool_->geometry != nullptr) vgpu::LocateInstance(*pool_->geometry, part.id, &holder);
      holders_.push_back(holder);
      Count(holder, +1);
    }
  }
}

void PoolUse::Remove(TaskId task) {
  std::erase_if(holders_, [&](const Holder& holder) {
    if (holder.task != task) return false;
    Count(holder, -1);
    return true;
  });
}

void PoolUse::SetLeaving(TaskId task, bool leaving) {
  for (Holder& holder : holders_) {
    if (holder.task != task || holder.leaving == leaving) continue;
    Count(holder, -1);
    holder.leaving = leaving;
    Count(holder, +1);
  }
}

NodeUse::NodeUse(const model::NodeDevices& devices, const model::DeviceHolders* holders) {
  for (const model::DevicePool& pool : devices.pools) pools_.emplace_back(pool);
  if (holders == nullptr) return;
  for (const model::DeviceHolder& holder : *holders) {
    Add(holder.task, *holder.devices, holder.leaving);
  }
}

const PoolUse* NodeUse::Find(model::DeviceKind kind) const {
  for (const PoolUse& pool : pools_) {
    if (pool.pool().kind == kind) return &pool;
  }
  return nullptr;
}

void NodeUse::Add(TaskId task, const model::PodDevices& pod, bool leaving) {
  for (PoolUse& pool : pools_) pool.Add(task, pod, leaving);
}

void NodeUse::Remove(TaskId task) {
  for (PoolUse& pool : pools_) pool.Remove(task);
}

void NodeUse::SetLeaving(TaskId task, bool leaving) {
  for (PoolUse& pool : pools_) pool.SetLeaving(task, leaving);
}

}  // namespace bth::devices
