// What a pod asks of a node. Pure functions, any thread.
#pragma once

#include "absl/status/statusor.h"
#include "api/types/pod.h"

namespace bth::types {

struct PodRequestOptions {
  // While a container is being resized it counts with the largest of what is asked, allocated and
  // actually set (feature InPlacePodVerticalScaling).
  bool use_status = true;
  // Requests of the pod as a whole replace the containers' (feature PodLevelResources).
  bool pod_level = true;
  // A container that says nothing of cpu or memory counts with 100m and 200Mi: what scores use, so
  // that pods without requests spread too.
  bool non_zero = false;
  // Adds `pods: 1`.
  bool count_pod = true;
};

// The sum of the containers and sidecars, or the largest need while the init containers run,
// whichever is more, by dimension; then the pod's own requests and its overhead. kOutOfRange names
// the quantity when a sum exceeds what Kubernetes can express.
absl::StatusOr<ResourceList> PodRequests(const Pod& pod, const PodRequestOptions& options = {});

// PodRequests with the defaults of scoring and without `pods`.
absl::StatusOr<ResourceList> NonZeroPodRequests(const Pod& pod);

// True if the node has refused the resize that the pod's spec asks for.
bool IsResizeInfeasible(const Pod& pod);

// An init container that keeps running beside the others.
inline bool IsSidecar(const Container& container) {
  return container.restart_policy == "Always";
}

// Adds every entry of `added` to `total`.
absl::Status AddResources(const ResourceList& added, ResourceList* total);
// Raises every entry of `total` to that of `other` where it is larger; missing ones are taken over.
void RaiseResources(const ResourceList& other, ResourceList* total);

}  // namespace bth::types
