// Dominant-resource fairness between jobs and, with `enableHierarchy`, between queues.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateDrf(const conf::Arguments& args);

}  // namespace bth::plugins
