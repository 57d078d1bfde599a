// Pods that are jobs of their own: what stands for the PodGroup and the queue that they lack.
#pragma once

#include <cstdint>
#include <string_view>

#include "cache/intake/compiled.h"

namespace bth::cache {

inline constexpr std::string_view kUrgencyAnnotation = "volcano.sh/scheduling-priority";

// 0 when it is no whole number; what is too large for the type is the largest there is.
int32_t UrgencyOf(std::string_view annotation);

// The queue of all of them. No object stands behind it, and nothing is written about it.
CompiledQueue SinglePodQueue();

// The pod becomes the only one of the group that is returned, whatever PodGroup it names; the group
// is put after the pod, and goes with it.
CompiledPodGroup MakeSingle(CompiledPod& pod);

}  // namespace bth::cache
