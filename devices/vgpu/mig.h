// Instances of cards that are cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "api/model/devices.h"
#include "devices/pool_use.h"

namespace bth::devices::vgpu {

// A place in a card's geometry. The position counts the instances of the group.
struct Slot {
  int32_t group = -1;
  int32_t position = 0;
  int64_t memory = 0;  // Of the instance.
};
// The smallest instance with that much memory that is free: of the group in use, or of the first
// that has one. `taken` are those of the device. Nothing: none.
std::optional<Slot> FindSlot(const model::MigGeometry& geometry, absl::Span<const Slot> taken,
                             int64_t memory);
// "<uuid>[<group>-<position>]", and back into `holder`.
std::string InstanceId(const model::MigGeometry& geometry, std::string_view uuid, const Slot& slot);
void LocateInstance(const model::MigGeometry& geometry, std::string_view id, Holder* holder);
// The memory of the instance at a place; 0: the geometry has no such place.
int64_t MemoryAt(const model::MigGeometry& geometry, int32_t group, int32_t position);

}  // namespace bth::devices::vgpu
