// Prefers the nodes that end up fullest.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Arguments: `binpack.weight`, `binpack.cpu`, `binpack.memory`, `binpack.resources` (names) and
// `binpack.resources.<name>`; whole numbers.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateBinPack(const conf::Arguments& args);

}  // namespace bth::plugins
