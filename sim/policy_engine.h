// The engine as vcctl borrows it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/conf/policy_engine.h"

namespace bth::sim {

// With the plugins and actions of the daemon, and those of shared objects in `plugins_dir` ("":
// none). kInvalidArgument: one of them cannot be loaded.
absl::StatusOr<std::unique_ptr<cli::PolicyEngine>> MakePolicyEngine(const std::string& plugins_dir);

}  // namespace bth::sim
