// The PodGroup of pods that were made without one. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/meta.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"

namespace bth::controllers {

// "podgroup-" and that uid.
std::string GroupNameOf(std::string_view owner_uid);
// With the uid of the pod's controller, or of the pod when it has none.
std::string GroupNameOf(const types::Pod& pod);

// `inherited` are annotations of the pod's owners; empty when they are not to be taken over.
// kOutOfRange when what the pods ask for cannot be summed.
absl::StatusOr<types::PodGroup> BuildPodGroup(const types::Pod& pod,
                                              const types::LabelMap& inherited);

// `existing` brought up to `built`: its size, needs, class and topology, and its queue if a pod
// names one. What a scheduler, a webhook or the schema filled in is theirs.
types::PodGroupSpec UpdatedSpec(types::PodGroupSpec existing, const types::PodGroupSpec& built);

// Whether that changes something, or `existing` lacks labels or annotations of `built`.
bool NeedsUpdate(const types::PodGroup& existing, const types::PodGroup& built);

}  // namespace bth::controllers
