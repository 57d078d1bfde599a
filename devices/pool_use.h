// What is taken of the devices of a node, as columns by device.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "api/model/devices.h"

namespace bth::devices {

struct DeviceUse {
  int32_t slots = 0;
  int64_t memory = 0;
  int32_t cores = 0;
  friend bool operator==(const DeviceUse&, const DeviceUse&) = default;
};
using UseColumns = absl::InlinedVector<DeviceUse, 16>;

// One part of a device that a pod holds. Texts are its owner's.
struct Holder {
  model::TaskId task;
  int32_t device = 0;
  DeviceUse use;
  // Of a card that is cut: which instance; -1: none. -2: one that the card does not have as the
  // settings are now, which keeps others off it.
  int32_t mig_group = -1;
  int32_t mig_position = 0;
  int32_t mark = 0;  // Of HeldDevice.
  bool leaving = false;
  std::string_view group;  // Of pods.
  uint64_t rules = 0;
};
inline constexpr int32_t kMigUnknown = -2;

// What is given to pipelined pods counts like what is held. Those that leave hold their devices
// until they are gone: they count for who wants them now, and not for who will have them then. The
// pool outlives it. Equal holders, equal columns, however they came about.
class PoolUse {
 public:
  explicit PoolUse(const model::DevicePool& pool)
      : pool_(&pool), all_(pool.devices.size()), leaving_(pool.devices.size()) {}

  const model::DevicePool& pool() const { return *pool_; }
  absl::Span<const Holder> holders() const { return holders_; }
  bool any_leaves() const { return leaves_ > 0; }
  // By device; `future`: once those that leave have left.
  UseColumns Columns(bool future) const;

  // The pod of `task` holds these, whose texts outlive this. What the node does not have any more
  // is not counted.
  void Add(model::TaskId task, const model::PodDevices& pod, bool leaving);
  void Remove(model::TaskId task);
  void SetLeaving(model::TaskId task, bool leaving);

 private:
  void Count(const Holder& holder, int32_t sign);

  const model::DevicePool* pool_;
  std::vector<DeviceUse> all_;
  std::vector<DeviceUse> leaving_;
  std::vector<Holder> holders_;
  int32_t leaves_ = 0;
};

// Of a node. Shares nothing with its copies.
class NodeUse {
 public:
  // Both outlive it, or are held by whoever holds it.
  NodeUse(const model::NodeDevices& devices, const model::DeviceHolders* holders);

  const PoolUse* Find(model::DeviceKind kind) const;
  absl::Span<const PoolUse> pools() const { return pools_; }
  void Add(model::TaskId task, const model::PodDevices& pod, bool leaving);
  void Remove(model::TaskId task);
  void SetLeaving(model::TaskId task, bool leaving);

 private:
  std::vector<PoolUse> pools_;
};

}  // namespace bth::devices
