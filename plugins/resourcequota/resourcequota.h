// Admits jobs only while their minimum fits into the ResourceQuotas of their namespace.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateResourceQuota(const conf::Arguments& args);

}  // namespace bth::plugins
