// Pods that will not have others near them.
#pragma once

#include "sim/world/story.h"

namespace bth::sim {

// Adds to a story, from numbers of their own: nodes in two pools, jobs with pods that are alike but
// for their labels, and jobs that will not have some of them in their pool.
void DrawPeers(Story* story);

}  // namespace bth::sim
