// Ties queues to groups of nodes, and limits what they use of each.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Arguments: `strict` (true), `enablePreferredOrder` (false).
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNodeGroup(const conf::Arguments& args);

}  // namespace bth::plugins
