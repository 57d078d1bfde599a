#include "api/model/devices.h"

#include <algorithm>
#include <string_view>

#include "api/model/device_settings.h"
#include "base/strings.h"

namespace bth::model {
namespace {

bool SameGeometry(const std::shared_ptr<const MigGeometry>& a,
                  const std::shared_ptr<const MigGeometry>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

struct Taken {
  int64_t slots = 0;
  int64_t memory = 0;
  int64_t cores = 0;
};

// What the pod holds of the device; true when it holds the part `id` itself.
bool AddHeld(const DevicePool& pool, int32_t device, std::string_view id, const PodDevices& pod,
             Taken* taken) {
  bool same = false;
  for (const HeldDevices& held : pod.held) {
    if (held.kind != pool.kind) continue;
    for (const HeldDevice& part : held.devices) {
      if (FindDevice(pool, part.id) != device) continue;
      ++taken->slots;
      taken->memory += part.memory;
      taken->cores += part.cores;
      same |= part.id == id;
    }
  }
  return same;
}

}  // namespace

bool operator==(const DevicePool& a, const DevicePool& b) {
  return a.kind == b.kind && a.soft == b.soft && a.closed == b.closed &&
         SameGeometry(a.geometry, b.geometry) && a.devices == b.devices;
}

bool operator==(const DeviceSettings& a, const DeviceSettings& b) {
  const auto same_known = [](const VgpuSettings::Known& x, const VgpuSettings::Known& y) {
    return x.models == y.models && SameGeometry(x.geometry, y.geometry);
  };
  const VgpuSettings& left = a.vgpus;
  const VgpuSettings& right = b.vgpus;
  return a.gpu_memory == b.gpu_memory && a.gpu_number == b.gpu_number && a.vgpu == b.vgpu &&
         a.mind_cluster == b.mind_cluster && a.cluster_reports == b.cluster_reports &&
         a.hami_ascend == b.hami_ascend && left.count == right.count &&
         left.memory == right.memory && left.cores == right.cores &&
         left.percentage == right.percentage && left.memory_factor == right.memory_factor &&
         std::equal(left.geometries.begin(), left.geometries.end(), right.geometries.begin(),
                    right.geometries.end(), same_known) &&
         a.config_namespace == b.config_namespace && a.config_name == b.config_name &&
         a.soft_slicing == b.soft_slicing && a.chips == b.chips &&
         a.exclusive_rules == b.exclusive_rules;
}

const DevicePool* NodeDevices::Find(DeviceKind kind) const {
  for (const DevicePool& pool : pools) {
    if (pool.kind == kind) return &pool;
  }
  return nullptr;
}

const NodeLock* NodeDevices::FindLock(std::string_view name) const {
  for (const NodeLock& lock : locks) {
    if (lock.name == name) return &lock;
  }
  return nullptr;
}

int32_t FindDevice(const DevicePool& pool, std::string_view id) {
  const std::string_view whole = id.substr(0, id.find('['));
  for (size_t i = 0; i < pool.devices.size(); ++i) {
    if (pool.devices[i].id == whole) return static_cast<int32_t>(i);
  }
  return -1;
}

std::string WhyNotFree(const NodeDevices& node, const DeviceHolders* holders,
                       const PodDevices& wanted) {
  for (const HeldDevices& held : wanted.held) {
    const DevicePool* pool = node.Find(held.kind);
    if (pool == nullptr) return "it has no such devices any more";
    for (const HeldDevice& part : held.devices) {
      const int32_t device = FindDevice(*pool, part.id);
      if (device < 0) return StrCat("device ", part.id, " is gone");
      Taken taken;
      AddHeld(*pool, device, part.id, wanted, &taken);
      const int64_t own = taken.slots;
      bool twice = false;
      if (holders != nullptr) {
        for (const DeviceHolder& holder : *holders) {
          twice |= AddHeld(*pool, device, part.id, *holder.devices, &taken);
        }
      }
      const Device& has = pool->devices[static_cast<size_t>(device)];
      if (pool->closed || (!has.offered && taken.slots == own)) {
        return StrCat("device ", part.id, " is not offered any more");
      }
      // Instances of a card that is cut are of the sizes they are.
      const bool cut = pool->geometry != nullptr;
      // Where software slices, cores are parts of a hundred, whatever their number.
      constexpr int32_t kPercent = 100;
      const int32_t cores = pool->soft ? std::max(has.cores, kPercent) : has.cores;
      if ((cut && twice) || taken.slots > has.slots || (!cut && taken.memory > has.memory) ||
          taken.cores > cores) {
        return StrCat("device ", part.id, " was given away");
      }
    }
  }
  return "";
}

}  // namespace bth::model
