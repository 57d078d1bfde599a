// Entries of `configurations` that are about no single action.
#pragma once

#include <string_view>

#include "conf/policy.h"

namespace bth::conf {

bool IsAddition(std::string_view name);
// Puts what the entry says into the policy; what is odd about it is in its findings. False: it is
// none of those.
bool ReadAdditions(const ActionArguments& entry, Policy* policy);

}  // namespace bth::conf
