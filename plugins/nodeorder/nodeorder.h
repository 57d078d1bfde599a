// Which node is the better one: kube-scheduler's scores.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Arguments: `<scorer>.weight`, whole numbers; 0 takes a scorer out.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNodeOrder(const conf::Arguments& args);

}  // namespace bth::plugins
