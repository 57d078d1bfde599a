// What a pod counts for in a ResourceQuota, which is also how PodGroups say what they need.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "api/types/pod.h"

namespace bth::controllers {

// One pod: cpu, memory and ephemeral-storage, each also as requests.NAME and limits.NAME; huge
// pages and extended resources as NAME and requests.NAME; pods and count/pods. Init containers,
// sidecars, overhead and pod-level resources count as in Kubernetes' quota. kOutOfRange names a
// quantity that is too large to be summed. Pure, any thread.
absl::StatusOr<types::ResourceList> QuotaUsage(const types::PodSpec& pod);

// Adds `times` x `usage` to `total`.
absl::Status AddUsage(const types::ResourceList& usage, int64_t times, types::ResourceList* total);

}  // namespace bth::controllers
