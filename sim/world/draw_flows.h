// Jobs that the cluster makes itself, in the order of a flow and by the clock.
#pragma once

#include "sim/world/story.h"

namespace bth::sim {

// Adds to a story, from numbers of their own: job templates, job flows and cron jobs, and what
// users do to them.
void DrawFlows(Story* story);

}  // namespace bth::sim
