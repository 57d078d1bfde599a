// Cooldown protection: pods that were placed a short while ago are not evicted.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateCdp(const conf::Arguments& args);

}  // namespace bth::plugins
