// The table of compiled-in plugins.
#pragma once

#include "framework/hooks/plugin.h"

namespace bth::plugins {

void RegisterBuiltinPlugins(framework::Registry& registry);

}  // namespace bth::plugins
