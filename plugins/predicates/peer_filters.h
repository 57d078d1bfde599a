// Filters that count other pods: inter-pod affinity and topology spread.
#pragma once

#include "framework/hooks/plugin.h"
#include "framework/session/session.h"

namespace bth::plugins::predicates {

// Required affinity and anti-affinity of the pod, and anti-affinity of pods that are there.
void AddPodAffinityFilter(framework::Session& session, framework::HookRegistrar& hooks);
// Topology spread constraints with DoNotSchedule.
void AddSpreadFilter(framework::Session& session, framework::HookRegistrar& hooks);

}  // namespace bth::plugins::predicates
