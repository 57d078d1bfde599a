// No job waits longer than it was promised, as far as other plugins allow.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Argument: `sla-waiting-time`, a duration above zero; none when absent.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateSla(const conf::Arguments& args);

}  // namespace bth::plugins
