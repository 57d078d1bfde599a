// What containers and pods may ask for. Pure, any thread.
#pragma once

#include <set>
#include <string_view>

#include "api/rules/part.h"

namespace bth::rules {

// Names of spec.resourceClaims.
using ClaimNames = std::set<std::string_view>;

// `resources` of a container: {limits, requests, claims}.
void CheckContainerResources(const Part& resources, const ClaimNames& claims);

// spec.resources of a pod, against what its containers ask for together.
void CheckPodResources(const Part& spec, const ClaimNames& claims);

// spec.overhead: amounts as those of limits.
void CheckOverhead(const Part& spec);

// spec.resourceClaims.
void CheckResourceClaims(const Part& spec);
ClaimNames NamesOfClaims(const Part& spec);

}  // namespace bth::rules
