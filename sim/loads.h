// Loads of nodes for simulations.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cache/cluster/mirror.h"
#include "conf/finding.h"
#include "conf/policy.h"

namespace bth::sim {

// Reads the file that section `metrics` of the policy names, when its type is `local`; loads
// without a time were measured `now`. Other sources are not asked, which `findings` then says.
// kInvalidArgument: the file cannot be used.
absl::Status PutLoads(const conf::Policy& policy, absl::Time now, cache::Mirror* mirror,
                      std::vector<conf::Finding>* findings);

}  // namespace bth::sim
