#include "sim/builtin_registry.h"

#include "actions/builtin.h"
#include "plugins/builtin.h"

namespace bth::sim {

const framework::Registry& BuiltinRegistry() {
  static const framework::Registry& kRegistry = *[] {
    auto* registry = new framework::Registry;
    plugins::RegisterBuiltinPlugins(*registry);
    actions::RegisterBuiltinActions(*registry);
    return registry;
  }();
  return kRegistry;
}

}  // namespace bth::sim
