// Admits jobs only while the cluster, stretched by a factor, has room for their minimums.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Argument: `overcommit-factor`, at least 1; 1.2 when absent or smaller.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateOvercommit(const conf::Arguments& args);

}  // namespace bth::plugins
