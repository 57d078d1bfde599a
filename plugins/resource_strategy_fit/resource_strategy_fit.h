// Plugin resource-strategy-fit: fills or spreads nodes by resource, keeps scarce resources free.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateResourceStrategyFit(
    const conf::Arguments& args);

}  // namespace bth::plugins
