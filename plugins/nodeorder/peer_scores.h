// Scores that count other pods: preferred inter-pod affinity and soft topology spread.
#pragma once

#include <cstdint>

#include "framework/hooks/plugin.h"
#include "framework/session/session.h"

namespace bth::plugins::nodeorder {

// Preferred terms of the pod, and those of pods that are there toward it. Required affinity of pods
// that are there adds nothing.
void AddPodAffinityScore(framework::Session& session, framework::HookRegistrar& hooks,
                         int64_t weight);
// Topology spread constraints with ScheduleAnyway, or those by default.
void AddSpreadScore(framework::Session& session, framework::HookRegistrar& hooks, int64_t weight);

}  // namespace bth::plugins::nodeorder
