// The device claim that stands for the extended resources which a pod requests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "api/model/device_claims.h"
#include "api/model/pod_extras.h"

namespace bth::plugins::predicates {

// Classes by the resources that are to be served by devices.
using ServedResources = std::map<std::string, std::string>;

// As kube-scheduler makes it: a request for each container and resource, named by their numbers.
// Init containers that end before the others begin use what those get, and one request of the
// largest need for what they want beyond that. Pure.
model::ExtendedClaimFacts ExtendedClaimOf(absl::Span<const model::ContainerRequests> containers,
                                          const ServedResources& served);

// Both ask for the same, under the same names.
bool SameRequests(const std::vector<model::DeviceRequestFacts>& a,
                  const std::vector<model::DeviceRequestFacts>& b);

}  // namespace bth::plugins::predicates
