// What pods may not go beyond: the shard of their scheduler, and how far a gang may be apart.
#pragma once

#include "sim/world/story.h"

namespace bth::sim {

// Draws from numbers of its own, which follow from the story's seed: the rest of the story stays as
// it was drawn.
void DrawBounds(Story* story);

}  // namespace bth::sim
