// The plugins and actions that are compiled in.
#pragma once

#include "framework/hooks/plugin.h"

namespace bth::sim {

// Thread: any.
const framework::Registry& BuiltinRegistry();

}  // namespace bth::sim
