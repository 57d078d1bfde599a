// The containers of a pod. Pure, any thread.
#pragma once

#include "api/rules/mounts.h"
#include "api/rules/part.h"
#include "api/rules/pod_template.h"
#include "api/rules/resources.h"

namespace bth::rules {

// What the pod has that its containers refer to.
struct PodParts {
  const VolumeKinds& volumes;
  const ClaimNames& claims;
  const PodRuleOptions& options;
};

// containers, initContainers, ephemeralContainers.
void CheckContainers(const Part& spec, const PodParts& pod);

}  // namespace bth::rules
