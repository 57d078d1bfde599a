// The actions that are compiled in.
#pragma once

#include "framework/hooks/plugin.h"

namespace bth::actions {

void RegisterBuiltinActions(framework::Registry& registry);

}  // namespace bth::actions
