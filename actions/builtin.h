// The actions that are compiled in.
#pragma once

#include "framework/plugin.h"

namespace bth::actions {

void RegisterBuiltinActions(framework::Registry& registry);

}  // namespace bth::actions
