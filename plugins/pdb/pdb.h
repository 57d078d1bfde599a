// Evictions stay inside PodDisruptionBudgets.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePdb(const conf::Arguments& args);

}  // namespace bth::plugins
