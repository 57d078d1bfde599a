// All or nothing: when a job is valid, ready, promised or starving, and who may leave it.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateGang(const conf::Arguments& args);

}  // namespace bth::plugins
