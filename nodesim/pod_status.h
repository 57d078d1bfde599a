// What a simulated kubelet writes into a pod's status.
#pragma once

#include <string>

#include "api/types/json.h"
#include "nodesim/pod_life.h"

namespace bth::nodesim {

struct PodAddresses {
  std::string pod_ip;
  std::string host_ip;  // May be empty.
};

// The status of the pod as `life` has it: for a strategic merge patch of pods/status, so that
// conditions of others stay.
types::Json StatusOf(const PodLife& life, const PodAddresses& addresses);

}  // namespace bth::nodesim
