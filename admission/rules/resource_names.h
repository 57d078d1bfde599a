// What kind of resource a name stands for, as Kubernetes tells it. Pure, any thread.
#pragma once

#include <string_view>

namespace bth::admission {

// Counted in whole units: pods, counters of quotas, extended resources.
bool IsWholeResource(std::string_view name);
// What schedulers count beside cpu, memory, pods and ephemeral-storage: extended resources,
// hugepages, kubernetes.io/..., attachable volumes.
bool IsScalarResource(std::string_view name);

}  // namespace bth::admission
