// Plugin rescheduling: names pods for action shuffle to move from busy nodes to idle ones.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateRescheduling(const conf::Arguments& args);

}  // namespace bth::plugins
