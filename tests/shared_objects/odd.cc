// Shared objects with something wrong about them; BTH_ODD says what.
#include <stdexcept>

#include "framework/hooks/plugin_abi.h"

#if BTH_ODD == 3
namespace bth::framework {
int NowhereToBeFound();
}
#endif

BTH_PLUGIN_ENTRY(registry) {
#if BTH_ODD == 1  // Registers nothing.
  (void)registry;
#elif BTH_ODD == 2  // Throws.
  (void)registry;
  throw std::runtime_error("no licence");
#elif BTH_ODD == 3  // Needs what the program has not.
  if (bth::framework::NowhereToBeFound() > 0) registry.plugins.clear();
#elif BTH_ODD == 4  // Has the name of another file's plugin.
  registry.plugins["headroom"] = [](const bth::conf::Arguments&) {
    return absl::UnimplementedError("a second headroom");
  };
#endif
}
