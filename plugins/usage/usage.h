// Plugin usage: keeps pods off nodes that are busy, by measured load.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateUsage(const conf::Arguments& args);

}  // namespace bth::plugins
