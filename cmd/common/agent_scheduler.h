// What makes of a scheduler the agent scheduler: one for urgent single pods.
#pragma once

#include <cstdint>

#include "framework/hooks/plugin.h"
#include "metrics/registry.h"
#include "scheduler/scheduler.h"

namespace bth::cmd {

// `workers` decide side by side. Counts in `metrics`, which outlives the scheduler.
void ServeSinglePods(int workers, metrics::Registry& metrics, framework::Registry* registry,
                     scheduler::SchedulerOptions* options);

}  // namespace bth::cmd
