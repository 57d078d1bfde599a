// Plugin extender: lets a service outside take part in decisions.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateExtender(const conf::Arguments& args);

}  // namespace bth::plugins
