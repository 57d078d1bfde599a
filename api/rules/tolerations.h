// Taints that pods put up with. Pure, any thread.
#pragma once

#include "api/rules/part.h"

namespace bth::rules {

// spec.tolerations. Servers since 1.35 know the operators Lt and Gt, if `comparing`.
void CheckTolerations(const Part& spec, bool comparing);

}  // namespace bth::rules
