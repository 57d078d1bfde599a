// Volumes in containers. Pure, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "api/rules/part.h"

namespace bth::rules {

// What matters to mounts.
enum class VolumeKind : uint8_t { kClaim, kImage, kOther };
// The volumes that are well, by name.
using VolumeKinds = std::map<std::string_view, VolumeKind>;

// volumeMounts, then volumeDevices. `all_known`: there are no volumes beside these.
void CheckMounts(const Part& container, const VolumeKinds& volumes, bool all_known);

}  // namespace bth::rules
