// The volumes of a pod. Pure, any thread.
#pragma once

#include <string_view>

#include "api/rules/mounts.h"
#include "api/rules/part.h"

namespace bth::rules {

// spec.volumes. `pod_name`: of a real pod, whose ephemeral volumes make claims of that name; empty
// in templates.
VolumeKinds CheckVolumes(const Part& spec, std::string_view pod_name, bool is_pod);

}  // namespace bth::rules
