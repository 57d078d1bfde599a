// Plugins and actions in shared objects.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "framework/hooks/plugin.h"

namespace bth::framework {

// Opens every `folder`/*.so in order of names and adds what it registers; a name that `registry`
// has already from elsewhere is replaced. An empty path asks for nothing; a missing or empty folder
// is logged, and no error. The code is trusted, runs in this process and is never unloaded.
//
// kInvalidArgument names the file and the remedy: it is no plugin, was built with other headers or
// another compiler (nothing of it has run then), needs what this program has not, registers
// nothing, or a name that another file registers. `registry` is then half filled.
// Thread: main, before the registry is used.
absl::Status LoadPlugins(const std::string& folder, Registry* registry);

// OK when an object with the line `theirs` (framework/hooks/plugin_abi.h) may be loaded. Otherwise
// names every pair that differs, as `dims=8 here dims=16`.
absl::Status CheckPluginAbi(std::string_view theirs);

}  // namespace bth::framework
