// What else there is in a cluster beside a scheduler, its controllers and its nodes: webhook
// managers, an agent scheduler, and what is done to them.
#pragma once

#include "sim/world/story.h"

namespace bth::sim {

// Draws from numbers of its own, which follow from the story's seed: the rest of the story stays as
// it was drawn.
void DrawExtras(Story* story);

}  // namespace bth::sim
