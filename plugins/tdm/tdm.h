// Time-division multiplexing: nodes that are lent to preemptable pods in windows of the day.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Arguments: `tdm.revocable-zone.<zone>`, a window such as 22:00-6:00; `tdm.evict.period` (1m).
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateTdm(const conf::Arguments& args);

}  // namespace bth::plugins
