#include "devices/vgpu/mig.h"

#include <algorithm>

#include "base/strings.h"
#include "devices/numbers.h"

namespace bth::devices::vgpu {
namespace {

bool IsTaken(absl::Span<const Slot> taken, int32_t group, int32_t position) {
  return std::any_of(taken.begin(), taken.end(), [&](const Slot& slot) {
    return slot.group == group && slot.position == position;
  });
}

std::optional<Slot> FindInGroup(const model::MigGeometry& geometry, size_t group,
                                absl::Span<const Slot> taken, int64_t memory) {
  std::optional<Slot> best;
  int32_t position = 0;
  const auto number = static_cast<int32_t>(group);
  for (const model::MigInstance& instance : geometry[group].instances) {
    for (int32_t i = 0; i < instance.count; ++i, ++position) {
      const bool smaller = !best || instance.memory < best->memory;
      if (instance.memory < memory || !smaller || IsTaken(taken, number, position)) continue;
      best = Slot{.group = number, .position = position, .memory = instance.memory};
    }
  }
  return best;
}

}  // namespace

std::optional<Slot> FindSlot(const model::MigGeometry& geometry, absl::Span<const Slot> taken,
                             int64_t memory) {
  if (!taken.empty()) {
    // A card is cut in one way at a time. While those that leave have it in one way, and pods are
    // pipelined to it in another, there is nothing for anybody else.
    const int32_t group = taken.front().group;
    if (group < 0 || static_cast<size_t>(group) >= geometry.size()) return std::nullopt;
    const auto same = [group](const Slot& slot) { return slot.group == group; };
    if (!std::all_of(taken.begin(), taken.end(), same)) return std::nullopt;
    return FindInGroup(geometry, static_cast<size_t>(group), taken, memory);
  }
  for (size_t group = 0; group < geometry.size(); ++group) {
    if (const auto slot = FindInGroup(geometry, group, taken, memory)) return slot;
  }
  return std::nullopt;
}

std::string InstanceId(const model::MigGeometry& geometry, std::string_view uuid,
                       const Slot& slot) {
  return StrCat(uuid, "[", geometry[static_cast<size_t>(slot.group)].name, "-", slot.position, "]");
}

int64_t MemoryAt(const model::MigGeometry& geometry, int32_t group, int32_t position) {
  if (group < 0 || static_cast<size_t>(group) >= geometry.size() || position < 0) return 0;
  for (const model::MigInstance& instance : geometry[static_cast<size_t>(group)].instances) {
    if (position < instance.count) return instance.memory;
    position -= instance.count;
  }
  return 0;
}

// Names of groups may have a '-' in them: the last one parts.
void LocateInstance(const model::MigGeometry& geometry, std::string_view id, Holder* holder) {
  holder->mig_group = kMigUnknown;
  const size_t open = id.find('[');
  if (open == std::string_view::npos || !id.ends_with(']')) return;
  const std::string_view place = id.substr(open + 1, id.size() - open - 2);
  const size_t dash = place.rfind('-');
  if (dash == std::string_view::npos) return;
  const std::optional<int32_t> position = ReadNumber<int32_t>(place.substr(dash + 1));
  if (!position) return;
  for (size_t group = 0; group < geometry.size(); ++group) {
    const auto number = static_cast<int32_t>(group);
    if (geometry[group].name != place.substr(0, dash)) continue;
    if (MemoryAt(geometry, number, *position) == 0) continue;
    holder->mig_group = number;
    holder->mig_position = *position;
    return;
  }
}

}  // namespace bth::devices::vgpu
