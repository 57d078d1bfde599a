// What a policy does otherwise here than with Volcano. Private to this folder.
#pragma once

#include <vector>

#include "cli/conf/check.h"

namespace bth::cli {

// Of what the policy uses. Lines are those of the policy.
std::vector<ConfFinding> DifferencesOf(const conf::Policy& policy);

}  // namespace bth::cli
