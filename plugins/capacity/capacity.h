// Explicit quotas per queue (guarantee, deserved, capability), alone or along a tree of queues.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Arguments: `ancestorReclaimLevel`. Those for quotas of devices are known, and refused when on.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateCapacity(const conf::Arguments& args);

}  // namespace bth::plugins
