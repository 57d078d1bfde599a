// Which nodes can take a pod at all: kube-scheduler's filters.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Arguments: the switches `predicate.<Filter>Enable`; see predicates/arguments.h.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePredicates(const conf::Arguments& args);

}  // namespace bth::plugins
