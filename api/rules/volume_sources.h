// What stands behind a volume: a claim, a folder of the node, a disk somewhere. Pure, any thread.
#pragma once

#include <string_view>

#include "api/rules/part.h"

namespace bth::rules {

struct VolumeOwner {
  std::string_view pod_name;  // Empty in templates.
  bool is_pod = false;
};

// Exactly one source, and that one whole.
void CheckVolumeSource(const Part& volume, const VolumeOwner& owner);

}  // namespace bth::rules
