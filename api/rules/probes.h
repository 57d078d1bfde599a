// Probes and lifecycle hooks of containers. Pure, any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "api/rules/part.h"

namespace bth::rules {

struct HandlerRules {
  std::optional<int64_t> grace_seconds;  // spec.terminationGracePeriodSeconds
  bool zero_sleep = false;               // Sleeps of 0 s are accepted, as servers do since 1.34.
};

// lifecycle.
void CheckLifecycle(const Part& container, const HandlerRules& rules);
// livenessProbe, readinessProbe, startupProbe.
void CheckProbes(const Part& container, const HandlerRules& rules);

}  // namespace bth::rules
