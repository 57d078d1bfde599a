// Where pods want to be. Pure, any thread.
#pragma once

#include "api/rules/part.h"

namespace bth::rules {

// spec.affinity
void CheckAffinity(const Part& spec);

}  // namespace bth::rules
