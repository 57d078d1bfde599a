// What the agent scheduler owes to the pods that are its own.
#pragma once

#include "sim/world/promises/promise.h"

namespace bth::sim {

PromisePtr MakeSinglePods(const Sight& sight);

}  // namespace bth::sim
