// How pods spread over zones, racks, nodes. Pure, any thread.
#pragma once

#include "api/rules/part.h"

namespace bth::rules {

// spec.topologySpreadConstraints
void CheckTopologySpread(const Part& spec);

}  // namespace bth::rules
